"""Questions to the Skerra Ferry Cooperative, answered from its notices."""

from .application import Ferry, Reply
from .languages import DONT_KNOW

__all__ = ["DONT_KNOW", "Ferry", "Reply"]
