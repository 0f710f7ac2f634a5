"""Profiles: sets of tools by name."""

from app.mcp.options import Profile
from app.mcp.toolbox import Toolbox


def toolbox(profile: Profile) -> Toolbox:
    """Return the tools of a profile, loading only these."""
    if profile == "full":
        from app.mcp.full_tools import FullToolbox  # noqa: PLC0415

        return FullToolbox()
    if profile == "reference":
        from app.mcp.reference_tools import ReferenceToolbox  # noqa: PLC0415

        return ReferenceToolbox()
    from app.mcp.small_tools import SmallToolbox  # noqa: PLC0415

    return SmallToolbox()
