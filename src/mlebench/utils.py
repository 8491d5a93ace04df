"""Names of the published package's `mlebench.utils`; see `mlebench.compat.utils`."""

from mlebench.compat.utils import *  # noqa: F403
from mlebench.compat.utils import __all__ as __all__
