"""Panel of the machines that share the memory, and of where they meet."""

import asyncio
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QProgressBar, QTreeWidgetItem, QWidget

from app.core.files import from_os
from app.core.text import excerpt
from app.sentence import Sentence
from ui import operations
from ui.dialogs.base_dialog import note
from ui.dialogs.confirm_card import ConfirmCard
from ui.dialogs.settings.device_form import DeviceForm, FormPurpose
from ui.dialogs.settings.panel import SettingsPanel
from ui.dialogs.settings.plain_table import fit_table, make_table
from ui.engine_texts import engine_text, sentence_text
from ui.models.dates import clock_time, counted, full_date
from ui.widgets.button import text_button
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.plain_text import tooltip

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from app.devices.model import Device, JoinRequest
    from app.sync.model import HeldRemovals, SyncState
    from ui.bridge import Bridge
    from ui.typed_call import TypedCall
    from ui.work import Task

_DEVICE = Qt.ItemDataRole.UserRole
_MOST_BYTES = 1 << 16
_MOST_NAME = 40


class DevicesPanel(SettingsPanel):
    """State of the sharing, the machines, and the form of the button that was pressed."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(bridge, parent)
        self.state: SyncState | None = None
        self._devices: Sequence[Device] = ()
        self._request: JoinRequest | None = None
        self._doing: Task | None = None
        self._held: HeldRemovals | None = None
        self.about = note("", self, "body")
        self.problem = note("", self, "body danger")
        self.progress = QProgressBar(self)
        self.progress.setRange(0, 0)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Progress"))
        self.doing = note("", self)
        self._make_buttons()
        self.list = make_table(self, self.tr("Machines"), (self.tr("Machine"), self.tr("Heard of"), self.tr("State")))
        self.list.currentItemChanged.connect(self._offer)
        self.asking = ConfirmCard(self.tr("Let it in"), self.tr("Refuse"), self)
        self.asking.confirm.clicked.connect(self._on_request_approved)
        self.asking.cancel.clicked.connect(self._on_request_refused)
        self.held = ConfirmCard(self.tr("Remove it here too"), self.tr("Not now"), self)
        self.held.confirm.clicked.connect(self._on_held_accepted)
        self.held.cancel.clicked.connect(self.held.hide)
        self.form = DeviceForm(self)
        self.form.confirmed.connect(self._on_form_confirmed)
        self.form.cancel.clicked.connect(self._on_cancelled)
        self.form.save_requested.connect(self.save_address)
        self.form.load_requested.connect(self.load_address)
        self._lay_out()
        self._show()
        self.work.on_areas({"devices"}, self._on_devices_changed)

    def _make_buttons(self) -> None:
        self.share_folder = text_button(self.tr("Share through a folder…"), "primary", icon_name="share-2", parent=self)
        self.share_server = text_button(self.tr("Share through a server…"), icon_name="database", parent=self)
        self.join = text_button(self.tr("Join my other machines…"), icon_name="link", parent=self)
        self.invite = text_button(self.tr("Add a machine…"), "primary", icon_name="plus", parent=self)
        self.now = text_button(self.tr("Exchange now"), icon_name="refresh-cw", parent=self)
        self.pause = text_button(self.tr("Pause"), icon_name="pause", parent=self)
        self.resume = text_button(self.tr("Resume"), icon_name="play", parent=self)
        self.rename = text_button(self.tr("Rename…"), icon_name="pencil", parent=self)
        self.remove = text_button(self.tr("Remove…"), icon_name="x", parent=self)
        self.leave = text_button(self.tr("Stop sharing…"), icon_name="unlink", parent=self)
        self.share_folder.clicked.connect(self._on_share_folder_clicked)
        self.share_server.clicked.connect(self._on_share_server_clicked)
        self.join.clicked.connect(self._on_join_clicked)
        self.invite.clicked.connect(self._on_invite_clicked)
        self.now.clicked.connect(self._on_now_clicked)
        self.pause.clicked.connect(self._on_pause_clicked)
        self.resume.clicked.connect(self._on_resume_clicked)
        self.rename.clicked.connect(self._on_rename_clicked)
        self.remove.clicked.connect(self._on_remove_clicked)
        self.leave.clicked.connect(self._on_leave_clicked)

    def _lay_out(self) -> None:
        self._alone, self._together = QWidget(self), QWidget(self)
        alone = (self.share_folder, self.share_server, self.join)
        together = (self.invite, self.now, self.pause, self.resume, self.rename, self.remove, self.leave)
        for row, buttons in ((self._alone, alone), (self._together, together)):
            flow = FlowLayout(row)
            for button in buttons:
                flow.addWidget(button)
        cards = [button for card in (self.asking, self.held) for button in (card.cancel, card.confirm)]
        for widget, following in pairwise((*cards, self.list, *alone, *together)):
            QWidget.setTabOrder(widget, following)
        parts = (self.about, self.problem, self.asking, self.held, self.list, self._alone, self._together)
        for widget in (*parts, self.progress, self.doing, self.form):
            self.column.addWidget(widget)
        self.progress.hide()
        self.doing.hide()

    @property
    def words(self) -> str:
        """Text that the search over settings matches, in small letters."""
        buttons = (self.share_folder, self.share_server, self.join, self.invite, self.leave)
        return f"{' '.join(button.text() for button in buttons)} sync synchronise devices postgresql".casefold()

    def shown(self) -> None:
        """Load the state."""
        self.run(self._load())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the open form on Escape, rather than the settings."""
        if event.key() == Qt.Key.Key_Escape and self.form.isVisible():
            self.form.cancel.click()
        else:
            super().keyPressEvent(event)

    # --- showing ---

    async def _load(self) -> None:
        self.state = await self.bridge.call(operations.device.state())
        is_shared = bool(self.state.place)
        self._show()  # the list asks the place, which may be slow
        self._devices = await self.bridge.call(operations.device.list()) if is_shared else ()
        self._request = next(iter(await self.bridge.call(operations.device.requests(known=True))), None)
        self._show()

    def _show(self) -> None:
        state = self.state
        is_shared = state is not None and bool(state.place)
        self.about.setText(self._sentence())
        problem = "" if state is None or state.is_paused else _text(state.problem)
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self._alone.setVisible(state is not None and not is_shared)
        self._together.setVisible(is_shared)
        self.list.setVisible(is_shared and bool(self._devices))
        self.pause.setVisible(state is not None and not state.is_paused)
        self.resume.setVisible(state is not None and state.is_paused)
        self._show_devices()
        self._show_held()
        self._show_request()
        self._offer()

    def _sentence(self) -> str:
        if self.state is None:
            return ""
        if not self.state.place:
            return self.tr(
                "Your memory lives on this machine alone. Each of your machines can hold all of it, work without a"
                " network, and meet the others through a folder that a program such as Syncthing or Dropbox keeps the"
                " same everywhere, or through a server. What lies there is sealed: only your machines can"
                " read it."
            )
        where = self.tr("Your machines meet at {place}.").format(place=self.state.place)
        if self.state.is_paused:
            what = self.tr("Paused: nothing is exchanged. What you write goes out when you resume.")
        elif self.state.synced_at is None:
            what = self.tr("Nothing was exchanged yet since Keepsake was started.")
        else:
            what = self.tr("All was exchanged at {time}.").format(time=clock_time(self.state.synced_at))
        notes = map(_text, (*self.state.notes, self.state.snapshots))
        return " ".join(filter(None, (where, what, self._erasures(), *notes)))

    def _erasures(self) -> str:
        """Return the sentence that what was erased for ever is gone everywhere, where it is."""
        members = [device for device in self._devices if device.removed_at is None]
        is_gone = len(members) > 1 and not any(device.unerased for device in members)
        if not is_gone or not any(device.erased for device in members):
            return ""
        return self.tr("All your machines have forgotten what was erased for ever.")

    def _show_devices(self) -> None:
        chosen = self._chosen()
        self.list.clear()
        for device in (known for known in self._devices if known.removed_at is None):
            item = QTreeWidgetItem(self.list, self._row_of(device))
            item.setData(0, _DEVICE, device.id)
            item.setToolTip(0, tooltip(item.text(0)))
            if device.id == chosen or self.list.currentItem() is None:
                self.list.setCurrentItem(item)
        fit_table(self.list)

    def _row_of(self, device: "Device") -> list[str]:
        name = self.tr("{name} (this machine)").format(name=device.name) if device.is_this else device.name
        when = "" if device.is_this or device.last_seen_at is None else full_date(device.last_seen_at)
        if device.last_seen_at is None and not device.is_this:
            state = self.tr("Not heard of yet")
        elif device.behind:
            state = counted(device.behind, self.tr("1 change behind"), self.tr("{n} changes behind"))
        else:
            state = "" if device.is_this else self.tr("Has all that is here")
        erasing = counted(
            device.unerased, self.tr("Has 1 thing still to erase"), self.tr("Has {n} things still to erase")
        )
        work = counted(len(device.schedules), self.tr("Runs 1 schedule for all"), self.tr("Runs {n} schedules for all"))
        parts = (state, erasing if device.unerased else "", work if device.schedules else "")
        return [name, when, " · ".join(filter(None, parts))]

    def _show_request(self) -> None:
        request = self._request
        self.asking.setVisible(request is not None)
        if request is not None:
            self.asking.title.setText(self.tr("{name} asks to come in").format(name=excerpt(request.name, _MOST_NAME)))
            self.asking.text.setText(
                self.tr("If you typed the words there yourself, let it in. It then holds your whole memory.")
            )

    def _show_held(self) -> None:
        self._held = next(iter(self.state.held), None) if self.state is not None else None
        self.held.setVisible(self._held is not None)
        if self._held is not None:
            self.held.title.setText(self.tr("Much was removed on another machine"))
            text = counted(
                self._held.removed,
                self.tr("1 memory or conversation that is here is gone there. If you did that, let it go here too."),
                self.tr("{n} memories and conversations that are here are gone there. If you did that, let them go"
                        " here too; until then, all stays here."),
            )  # fmt: skip
            self.held.text.setText(text)

    def _offer(self) -> None:
        """Offer what can be done with the chosen machine."""
        device = self._device()
        is_idle = self.progress.isHidden()
        self.rename.setEnabled(device is not None and is_idle)
        self.remove.setEnabled(device is not None and not device.is_this and is_idle)
        for button in (self.share_folder, self.share_server, self.join, self.invite, self.now, self.leave):
            button.setEnabled(is_idle)

    def _chosen(self) -> str:
        item = self.list.currentItem()
        return "" if item is None else str(item.data(0, _DEVICE))

    def _device(self) -> "Device | None":
        chosen = self._chosen()
        return next((device for device in self._devices if device.id == chosen), None)

    # --- what the person does ---

    def _begin(self, doing: str, work: "Coroutine[object, object, None]") -> None:
        self.doing.setText(doing)
        self.progress.show()
        self.doing.show()
        self._offer()
        self._doing = self.work.start(self._guarded(work), ended=self._on_finished)

    def _on_cancelled(self) -> None:
        """End what the person began in the form, such as the wait for another machine."""
        if self._doing is not None:
            self._doing.cancel()

    def _on_finished(self) -> None:
        self._doing = None
        self.progress.hide()
        self.doing.hide()
        self._offer()

    async def _carry_out(self, call: "TypedCall[object]") -> None:
        await self.bridge.call(call)
        self.form.hide()
        await self._load()

    def _on_share_folder_clicked(self) -> None:
        self.form.choose_folder(self.share)

    def share(self, place: str) -> None:
        """Share the memory through a place."""
        self._begin(self.tr("Sharing…"), self._carry_out(operations.device.share(place=place)))

    def _on_share_server_clicked(self) -> None:
        self.form.open(FormPurpose.SERVER)

    def _on_join_clicked(self) -> None:
        self.form.open(FormPurpose.JOIN)

    def _on_invite_clicked(self) -> None:
        self._begin(self.tr("Making the words…"), self._invite())

    async def _invite(self) -> None:
        invitation = await self.bridge.call(operations.device.invite())
        self.form.open(FormPurpose.INVITE)
        self.form.show_invitation(invitation)
        left = invitation.expires_at - datetime.now(UTC)
        self.work.after(max(0, int(left.total_seconds() * 1000)), self.form.show_end)

    def save_address(self, path: str, address: str) -> None:
        """Write the sealed address of an invitation into a file."""
        self.run(self._save(Path(path), address))

    async def _save(self, path: Path, address: str) -> None:
        await asyncio.to_thread(_write, path, f"{address}\n")

    def load_address(self, path: str) -> None:
        """Take the sealed address of an invitation from a file."""
        self.run(self._load_address(Path(path)))

    async def _load_address(self, path: Path) -> None:
        self.form.address.setText(await asyncio.to_thread(_read, path))

    def _on_request_approved(self) -> None:
        if self._request is not None:
            call = operations.device.approve(request=self._request.id)
            self._begin(self.tr("Letting it in…"), self._answer(call))

    def _on_request_refused(self) -> None:
        if self._request is not None:
            self.run(self._answer(operations.device.refuse(request=self._request.id)))

    async def _answer(self, call: "TypedCall[object]") -> None:
        await self.bridge.call(call)
        self._request = None
        self.form.hide()
        await self._load()

    def _on_now_clicked(self) -> None:
        self._begin(self.tr("Exchanging…"), self._carry_out(operations.device.sync()))

    def _on_pause_clicked(self) -> None:
        self.run(self._carry_out(operations.device.pause()))

    def _on_resume_clicked(self) -> None:
        self.run(self._carry_out(operations.device.resume()))

    def _on_rename_clicked(self) -> None:
        if (device := self._device()) is not None:
            self.form.open(FormPurpose.RENAME, device.name)

    def _on_remove_clicked(self) -> None:
        if (device := self._device()) is not None:
            self.form.open(FormPurpose.REMOVE, device.name)

    def _on_leave_clicked(self) -> None:
        self.form.open(FormPurpose.LEAVE)

    def _on_held_accepted(self) -> None:
        if self._held is not None:
            self.run(self._carry_out(operations.device.accept(lane=self._held.lane, last=self._held.last)))

    def _on_form_confirmed(self, purpose: FormPurpose) -> None:
        form, chosen = self.form, self._chosen()
        if purpose is FormPurpose.SERVER:
            self.share(form.address.text().strip())
        elif purpose is FormPurpose.JOIN:
            call = operations.device.join(
                words=form.words.text(), place=form.address.text().strip(), name=form.machine.text().strip()
            )
            self._begin(self.tr("Waiting until the other machine lets this one in…"), self._carry_out(call))
        elif purpose is FormPurpose.RENAME:
            self.run(self._carry_out(operations.device.rename(device=chosen, name=form.machine.text().strip())))
        elif purpose is FormPurpose.REMOVE:
            self._begin(self.tr("Removing it…"), self._carry_out(operations.device.remove(device=chosen)))
        else:
            self._begin(self.tr("Leaving…"), self._carry_out(operations.device.leave()))

    def _on_devices_changed(self) -> None:
        if self.isVisible():
            self.run(self._load())


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "ascii")
    except OSError as error:
        raise from_os(error, path) from error


def _read(path: Path) -> str:
    """Return the text of a file, at most its first bytes."""
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "replace").strip()
    except OSError as error:
        raise from_os(error, path) from error


def _text(sentence: str) -> str:
    return sentence_text(sentence) if isinstance(sentence, Sentence) else engine_text(sentence)
