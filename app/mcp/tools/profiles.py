"""Profiles: sets of tools by name."""

from collections.abc import Sequence

from app.mcp.options import Profile
from app.mcp.tools.toolbox import Toolbox


def toolbox(profile: Profile, groups: Sequence[str] = ()) -> Toolbox:
    """Return the tools of a profile, loading only these; ``groups`` are those of ``full``."""
    if profile == "full":
        from app.mcp.tools.full_tools import FullToolbox  # noqa: PLC0415

        return FullToolbox(groups)
    if profile == "reference":
        from app.mcp.tools.reference_tools import ReferenceToolbox  # noqa: PLC0415

        return ReferenceToolbox()
    if profile == "files":
        from app.mcp.tools.files_tools import FilesToolbox  # noqa: PLC0415

        return FilesToolbox()
    from app.mcp.tools.small_tools import SmallToolbox  # noqa: PLC0415

    return SmallToolbox()
