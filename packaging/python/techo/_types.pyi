# Generated from techo's catalogue: go test ./packaging -update
from typing import Any, Literal, TypedDict

from typing_extensions import NotRequired

class AddMemoResultMemo(TypedDict):
    id: str
    name: str
    content: str
    priority: int
    tags: list[str]
    detail: str
    has_detail: bool
    created_at: str
    updated_at: str
    etag: NotRequired[str]
    space: NotRequired[str]

class AddMemoResult(TypedDict):
    memo: AddMemoResultMemo
    message: str
    warnings: NotRequired[list[str]]

class EditMemoResultMemo(TypedDict):
    id: str
    name: str
    content: str
    priority: int
    tags: list[str]
    detail: str
    has_detail: bool
    created_at: str
    updated_at: str
    etag: NotRequired[str]
    space: NotRequired[str]

class EditMemoResult(TypedDict):
    memo: EditMemoResultMemo
    message: str
    warnings: NotRequired[list[str]]

class RemoveMemoResultRemoved(TypedDict):
    id: str
    name: str
    content: str
    priority: int
    tags: list[str]
    detail: str
    has_detail: bool
    created_at: str
    updated_at: str
    etag: NotRequired[str]
    space: NotRequired[str]

class RemoveMemoResult(TypedDict):
    removed: RemoveMemoResultRemoved
    message: str

class ListMemoResultMemos(TypedDict):
    id: str
    name: str
    content: str
    priority: int
    tags: list[str]
    has_detail: bool
    created_at: str
    updated_at: str
    space: NotRequired[str]

class ListMemoResult(TypedDict):
    memos: list[ListMemoResultMemos]
    total: int
    offset: int
    limit: int
    message: str

class GetMemoResultMemo(TypedDict):
    id: str
    name: str
    content: str
    priority: int
    tags: list[str]
    detail: str
    has_detail: bool
    created_at: str
    updated_at: str
    etag: NotRequired[str]
    space: NotRequired[str]

class GetMemoResult(TypedDict):
    memo: GetMemoResultMemo
    message: str

class ListMemoTagsResultTags(TypedDict):
    tag: str
    count: int
    latest_updated_at: str

class ListMemoTagsResult(TypedDict):
    tags: list[ListMemoTagsResultTags]
    total: int
    message: str

class MoveMemoResultMemo(TypedDict):
    id: str
    name: str
    content: str
    priority: int
    tags: list[str]
    detail: str
    has_detail: bool
    created_at: str
    updated_at: str
    etag: NotRequired[str]
    space: NotRequired[str]

class MoveMemoResult(TypedDict):
    memo: MoveMemoResultMemo
    message: str
    warnings: NotRequired[list[str]]

class MemoContextResultImportant(TypedDict):
    id: str
    name: str
    content: str
    priority: int
    tags: list[str]
    has_detail: bool
    created_at: str
    updated_at: str
    space: NotRequired[str]

class MemoContextResultRecent(TypedDict):
    id: str
    name: str
    content: str
    priority: int
    tags: list[str]
    has_detail: bool
    created_at: str
    updated_at: str
    space: NotRequired[str]

class MemoContextResult(TypedDict):
    important: list[MemoContextResultImportant]
    recent: list[MemoContextResultRecent]
    omitted: int
    prompt: str
    message: str

AddMemoryResultMemoryRelation = TypedDict("AddMemoryResultMemoryRelation", {
    "from": str,
    "type": str,
    "to": str,
})

class AddMemoryResultMemorySupersedes(TypedDict):
    id: str
    caption: str
    full_text: str
    created_at: str
    superseded_by: str
    superseded_at: str
    session: NotRequired[str]
    source: NotRequired[str]

class AddMemoryResultMemory(TypedDict):
    id: str
    user_id: str
    caption: str
    full_text: str
    session: str
    scope: str
    created_at: str
    updated_at: str
    topic: NotRequired[str]
    expires_at: NotRequired[str]
    etag: NotRequired[str]
    space: NotRequired[str]
    relation: NotRequired[AddMemoryResultMemoryRelation]
    supersedes: NotRequired[list[AddMemoryResultMemorySupersedes]]
    source: NotRequired[str]
    source_dir: NotRequired[str]
    source_hash: NotRequired[str]
    source_blob: NotRequired[str]
    confirmed_at: NotRequired[str]

class AddMemoryResultRelated(TypedDict):
    id: str
    caption: str
    created_at: str

class AddMemoryResult(TypedDict):
    memory: AddMemoryResultMemory
    created: bool
    superseded: list[str]
    related: list[AddMemoryResultRelated]
    message: str
    replaced: NotRequired[bool]
    renewed: NotRequired[bool]
    outdated: NotRequired[bool]
    warnings: NotRequired[list[str]]
    interpreted: NotRequired[str]
    note: NotRequired[str]

EditMemoryResultMemoryRelation = TypedDict("EditMemoryResultMemoryRelation", {
    "from": str,
    "type": str,
    "to": str,
})

class EditMemoryResultMemorySupersedes(TypedDict):
    id: str
    caption: str
    full_text: str
    created_at: str
    superseded_by: str
    superseded_at: str
    session: NotRequired[str]
    source: NotRequired[str]

class EditMemoryResultMemory(TypedDict):
    id: str
    user_id: str
    caption: str
    full_text: str
    session: str
    scope: str
    created_at: str
    updated_at: str
    topic: NotRequired[str]
    expires_at: NotRequired[str]
    etag: NotRequired[str]
    space: NotRequired[str]
    relation: NotRequired[EditMemoryResultMemoryRelation]
    supersedes: NotRequired[list[EditMemoryResultMemorySupersedes]]
    source: NotRequired[str]
    source_dir: NotRequired[str]
    source_hash: NotRequired[str]
    source_blob: NotRequired[str]
    confirmed_at: NotRequired[str]

class EditMemoryResultRelated(TypedDict):
    id: str
    caption: str
    created_at: str

class EditMemoryResult(TypedDict):
    memory: EditMemoryResultMemory
    superseded: list[str]
    related: list[EditMemoryResultRelated]
    message: str
    warnings: NotRequired[list[str]]
    interpreted: NotRequired[str]
    note: NotRequired[str]

SupersedeMemoryResultMemoryRelation = TypedDict("SupersedeMemoryResultMemoryRelation", {
    "from": str,
    "type": str,
    "to": str,
})

class SupersedeMemoryResultMemorySupersedes(TypedDict):
    id: str
    caption: str
    full_text: str
    created_at: str
    superseded_by: str
    superseded_at: str
    session: NotRequired[str]
    source: NotRequired[str]

class SupersedeMemoryResultMemory(TypedDict):
    id: str
    user_id: str
    caption: str
    full_text: str
    session: str
    scope: str
    created_at: str
    updated_at: str
    topic: NotRequired[str]
    expires_at: NotRequired[str]
    etag: NotRequired[str]
    space: NotRequired[str]
    relation: NotRequired[SupersedeMemoryResultMemoryRelation]
    supersedes: NotRequired[list[SupersedeMemoryResultMemorySupersedes]]
    source: NotRequired[str]
    source_dir: NotRequired[str]
    source_hash: NotRequired[str]
    source_blob: NotRequired[str]
    confirmed_at: NotRequired[str]

class SupersedeMemoryResultRelated(TypedDict):
    id: str
    caption: str
    created_at: str

class SupersedeMemoryResult(TypedDict):
    memory: SupersedeMemoryResultMemory
    superseded: list[str]
    related: list[SupersedeMemoryResultRelated]
    message: str
    warnings: NotRequired[list[str]]
    interpreted: NotRequired[str]
    note: NotRequired[str]

class RemoveMemoryResult(TypedDict):
    removed: list[str]
    missing: list[str]
    message: str

class ListMemoryResultMemories(TypedDict):
    id: str
    user_id: str
    caption: str
    session: str
    scope: str
    created_at: str
    updated_at: str
    topic: NotRequired[str]
    expires_at: NotRequired[str]
    space: NotRequired[str]
    source: NotRequired[str]
    confirmed_at: NotRequired[str]

class ListMemoryResult(TypedDict):
    memories: list[ListMemoryResultMemories]
    total: int
    offset: int
    limit: int
    message: str
    interpreted: NotRequired[str]
    note: NotRequired[str]

GetMemoryResultMemoryRelation = TypedDict("GetMemoryResultMemoryRelation", {
    "from": str,
    "type": str,
    "to": str,
})

class GetMemoryResultMemorySupersedes(TypedDict):
    id: str
    caption: str
    full_text: str
    created_at: str
    superseded_by: str
    superseded_at: str
    session: NotRequired[str]
    source: NotRequired[str]

class GetMemoryResultMemory(TypedDict):
    id: str
    user_id: str
    caption: str
    full_text: str
    session: str
    scope: str
    created_at: str
    updated_at: str
    topic: NotRequired[str]
    expires_at: NotRequired[str]
    etag: NotRequired[str]
    space: NotRequired[str]
    relation: NotRequired[GetMemoryResultMemoryRelation]
    supersedes: NotRequired[list[GetMemoryResultMemorySupersedes]]
    source: NotRequired[str]
    source_dir: NotRequired[str]
    source_hash: NotRequired[str]
    source_blob: NotRequired[str]
    confirmed_at: NotRequired[str]

class GetMemoryResult(TypedDict):
    memory: GetMemoryResultMemory
    message: str
    superseded_by: NotRequired[str]
    superseded_at: NotRequired[str]

class SearchMemoryResultResultsSuperseded(TypedDict):
    id: str
    caption: str
    created_at: str
    superseded_by: str
    superseded_at: str

class SearchMemoryResultResults(TypedDict):
    id: str
    caption: str
    created_at: str
    session: str
    score: float
    matched: list[str]
    snippet: str
    found_by: list[str]
    reason: NotRequired[str]
    space: NotRequired[str]
    store: NotRequired[str]
    source: NotRequired[str]
    stale: NotRequired[bool]
    supersedes: NotRequired[list[str]]
    superseded: NotRequired[list[SearchMemoryResultResultsSuperseded]]
    superseded_by: NotRequired[str]
    superseded_at: NotRequired[str]

SearchMemoryResultCorrected = TypedDict("SearchMemoryResultCorrected", {
    "from": str,
    "to": str,
})

class SearchMemoryResultFiles(TypedDict):
    path: str
    matched: list[str]
    snippet: str

class SearchMemoryResult(TypedDict):
    query: str
    results: list[SearchMemoryResultResults]
    total: int
    at_least: bool
    suggestions: list[str]
    message: str
    corrected: NotRequired[list[SearchMemoryResultCorrected]]
    files: NotRequired[list[SearchMemoryResultFiles]]
    degraded: NotRequired[str]
    interpreted: NotRequired[str]
    note: NotRequired[str]

class MemoryTimelineResultMemories(TypedDict):
    id: str
    user_id: str
    caption: str
    session: str
    scope: str
    created_at: str
    updated_at: str
    topic: NotRequired[str]
    expires_at: NotRequired[str]
    space: NotRequired[str]
    source: NotRequired[str]
    confirmed_at: NotRequired[str]

class MemoryTimelineResult(TypedDict):
    memories: list[MemoryTimelineResultMemories]
    at: str
    message: str
    interpreted: NotRequired[str]
    note: NotRequired[str]

class ConfirmMemoryResult(TypedDict):
    confirmed: list[str]
    missing: list[str]
    message: str

class CheckMemoryResult(TypedDict):
    checked: int
    changed: list[str]
    gone: list[str]
    message: str

MoveMemoryResultMemoryRelation = TypedDict("MoveMemoryResultMemoryRelation", {
    "from": str,
    "type": str,
    "to": str,
})

class MoveMemoryResultMemorySupersedes(TypedDict):
    id: str
    caption: str
    full_text: str
    created_at: str
    superseded_by: str
    superseded_at: str
    session: NotRequired[str]
    source: NotRequired[str]

class MoveMemoryResultMemory(TypedDict):
    id: str
    user_id: str
    caption: str
    full_text: str
    session: str
    scope: str
    created_at: str
    updated_at: str
    topic: NotRequired[str]
    expires_at: NotRequired[str]
    etag: NotRequired[str]
    space: NotRequired[str]
    relation: NotRequired[MoveMemoryResultMemoryRelation]
    supersedes: NotRequired[list[MoveMemoryResultMemorySupersedes]]
    source: NotRequired[str]
    source_dir: NotRequired[str]
    source_hash: NotRequired[str]
    source_blob: NotRequired[str]
    confirmed_at: NotRequired[str]

class MoveMemoryResult(TypedDict):
    memory: MoveMemoryResultMemory
    message: str

class ReindexMemoriesResult(TypedDict):
    indexed: int
    pending: int
    model: str
    message: str

class MemoryContextResultReferences(TypedDict):
    id: str
    caption: str
    created_at: str
    updated_at: str
    line: str
    space: NotRequired[str]
    stale: NotRequired[bool]
    store: NotRequired[str]

MemoryContextResultCorrected = TypedDict("MemoryContextResultCorrected", {
    "from": str,
    "to": str,
})

class MemoryContextResult(TypedDict):
    references: list[MemoryContextResultReferences]
    has_memory_context: bool
    omitted: int
    omitted_outdated: int
    omitted_repeated: int
    prompt: str
    message: str
    corrected: NotRequired[list[MemoryContextResultCorrected]]
    degraded: NotRequired[str]

ReviewMemoriesResultItemsMemoriesRelation = TypedDict("ReviewMemoriesResultItemsMemoriesRelation", {
    "from": str,
    "type": str,
    "to": str,
})

class ReviewMemoriesResultItemsMemoriesSupersedes(TypedDict):
    id: str
    caption: str
    full_text: str
    created_at: str
    superseded_by: str
    superseded_at: str
    session: NotRequired[str]
    source: NotRequired[str]

class ReviewMemoriesResultItemsMemories(TypedDict):
    id: str
    user_id: str
    caption: str
    full_text: str
    session: str
    scope: str
    created_at: str
    updated_at: str
    topic: NotRequired[str]
    expires_at: NotRequired[str]
    etag: NotRequired[str]
    space: NotRequired[str]
    relation: NotRequired[ReviewMemoriesResultItemsMemoriesRelation]
    supersedes: NotRequired[list[ReviewMemoriesResultItemsMemoriesSupersedes]]
    source: NotRequired[str]
    source_dir: NotRequired[str]
    source_hash: NotRequired[str]
    source_blob: NotRequired[str]
    confirmed_at: NotRequired[str]

class ReviewMemoriesResultItemsChoices(TypedDict):
    choice: str
    tool: str
    input: Any
    command: str

class ReviewMemoriesResultItemsConflict(TypedDict):
    number: int
    kind: str
    id: str
    title: str
    present: str
    other: str
    machine: str
    at: str

class ReviewMemoriesResultItemsSuggestion(TypedDict):
    choice: str
    tool: str
    input: Any
    command: str

class ReviewMemoriesResultItems(TypedDict):
    kind: str
    memories: list[ReviewMemoriesResultItemsMemories]
    why: str
    choices: list[ReviewMemoriesResultItemsChoices]
    conflict: NotRequired[ReviewMemoriesResultItemsConflict]
    suggestion: NotRequired[ReviewMemoriesResultItemsSuggestion]

class ReviewMemoriesResult(TypedDict):
    items: list[ReviewMemoriesResultItems]
    total: int
    message: str
    at_least: NotRequired[bool]
    next_cursor: NotRequired[str]

MergeMemoriesResultMemoryRelation = TypedDict("MergeMemoriesResultMemoryRelation", {
    "from": str,
    "type": str,
    "to": str,
})

class MergeMemoriesResultMemorySupersedes(TypedDict):
    id: str
    caption: str
    full_text: str
    created_at: str
    superseded_by: str
    superseded_at: str
    session: NotRequired[str]
    source: NotRequired[str]

class MergeMemoriesResultMemory(TypedDict):
    id: str
    user_id: str
    caption: str
    full_text: str
    session: str
    scope: str
    created_at: str
    updated_at: str
    topic: NotRequired[str]
    expires_at: NotRequired[str]
    etag: NotRequired[str]
    space: NotRequired[str]
    relation: NotRequired[MergeMemoriesResultMemoryRelation]
    supersedes: NotRequired[list[MergeMemoriesResultMemorySupersedes]]
    source: NotRequired[str]
    source_dir: NotRequired[str]
    source_hash: NotRequired[str]
    source_blob: NotRequired[str]
    confirmed_at: NotRequired[str]

class MergeMemoriesResult(TypedDict):
    memory: MergeMemoriesResultMemory
    merged: list[str]
    message: str

class SettleConflictResultConflict(TypedDict):
    number: int
    kind: str
    id: str
    title: str
    present: str
    other: str
    machine: str
    at: str

class SettleConflictResult(TypedDict):
    conflict: SettleConflictResultConflict
    message: str

class CreateEventResultEventAttendees(TypedDict):
    email: str
    name: str
    status: str
    optional: bool

class CreateEventResultEvent(TypedDict):
    event_id: str
    title: str
    start: str
    end: str
    all_day: bool
    location: str
    description: str
    timezone: str
    weekday: str
    status: str
    busy: bool
    recurrence: list[str]
    attendees: list[CreateEventResultEventAttendees]
    organizer: str
    url: str
    categories: list[str]
    alarms: list[str]
    color: str
    sequence: int
    calendar: str
    uid: str
    etag: str
    end_date: NotRequired[str]
    event_timezone: NotRequired[str]
    floating: NotRequired[bool]
    recurring_event_id: NotRequired[str]
    hold_expires: NotRequired[str]
    group: NotRequired[str]
    space: NotRequired[str]

class CreateEventResultConflictsAttendees(TypedDict):
    email: str
    name: str
    status: str
    optional: bool

class CreateEventResultConflicts(TypedDict):
    event_id: str
    title: str
    start: str
    end: str
    all_day: bool
    location: str
    description: str
    timezone: str
    weekday: str
    status: str
    busy: bool
    recurrence: list[str]
    attendees: list[CreateEventResultConflictsAttendees]
    organizer: str
    url: str
    categories: list[str]
    alarms: list[str]
    color: str
    sequence: int
    calendar: str
    uid: str
    etag: str
    end_date: NotRequired[str]
    event_timezone: NotRequired[str]
    floating: NotRequired[bool]
    recurring_event_id: NotRequired[str]
    hold_expires: NotRequired[str]
    group: NotRequired[str]
    space: NotRequired[str]

class CreateEventResultDuplicatesAttendees(TypedDict):
    email: str
    name: str
    status: str
    optional: bool

class CreateEventResultDuplicates(TypedDict):
    event_id: str
    title: str
    start: str
    end: str
    all_day: bool
    location: str
    description: str
    timezone: str
    weekday: str
    status: str
    busy: bool
    recurrence: list[str]
    attendees: list[CreateEventResultDuplicatesAttendees]
    organizer: str
    url: str
    categories: list[str]
    alarms: list[str]
    color: str
    sequence: int
    calendar: str
    uid: str
    etag: str
    end_date: NotRequired[str]
    event_timezone: NotRequired[str]
    floating: NotRequired[bool]
    recurring_event_id: NotRequired[str]
    hold_expires: NotRequired[str]
    group: NotRequired[str]
    space: NotRequired[str]

class CreateEventResult(TypedDict):
    event: CreateEventResultEvent
    conflicts: list[CreateEventResultConflicts]
    duplicates: list[CreateEventResultDuplicates]
    message: str
    dry_run: NotRequired[bool]
    interpreted: NotRequired[str]
    note: NotRequired[str]

class ListEventsResultEventsAttendees(TypedDict):
    email: str
    name: str
    status: str
    optional: bool

class ListEventsResultEvents(TypedDict):
    event_id: str
    title: str
    start: str
    end: str
    all_day: bool
    location: str
    description: str
    timezone: str
    weekday: str
    status: str
    busy: bool
    recurrence: list[str]
    attendees: list[ListEventsResultEventsAttendees]
    organizer: str
    url: str
    categories: list[str]
    alarms: list[str]
    color: str
    sequence: int
    calendar: str
    uid: str
    etag: str
    end_date: NotRequired[str]
    event_timezone: NotRequired[str]
    floating: NotRequired[bool]
    recurring_event_id: NotRequired[str]
    hold_expires: NotRequired[str]
    group: NotRequired[str]
    space: NotRequired[str]

class ListEventsResultProblems(TypedDict):
    message: str
    line: NotRequired[int]
    event_id: NotRequired[str]
    calendar: NotRequired[str]
    uid: NotRequired[str]
    title: NotRequired[str]
    what: NotRequired[str]

class ListEventsResultUnchecked(TypedDict):
    calendar: str
    reason: str

class ListEventsResult(TypedDict):
    events: list[ListEventsResultEvents]
    count: int
    truncated: bool
    total: int
    date_from: str
    date_to: str
    timezone: str
    problems: list[ListEventsResultProblems]
    unchecked: list[ListEventsResultUnchecked]
    message: str
    interpreted: NotRequired[str]
    note: NotRequired[str]

class GetEventResultEventAttendees(TypedDict):
    email: str
    name: str
    status: str
    optional: bool

class GetEventResultEvent(TypedDict):
    event_id: str
    title: str
    start: str
    end: str
    all_day: bool
    location: str
    description: str
    timezone: str
    weekday: str
    status: str
    busy: bool
    recurrence: list[str]
    attendees: list[GetEventResultEventAttendees]
    organizer: str
    url: str
    categories: list[str]
    alarms: list[str]
    color: str
    sequence: int
    calendar: str
    uid: str
    etag: str
    end_date: NotRequired[str]
    event_timezone: NotRequired[str]
    floating: NotRequired[bool]
    recurring_event_id: NotRequired[str]
    hold_expires: NotRequired[str]
    group: NotRequired[str]
    space: NotRequired[str]

class GetEventResult(TypedDict):
    event: GetEventResultEvent
    message: str

class UpdateEventResultEventAttendees(TypedDict):
    email: str
    name: str
    status: str
    optional: bool

class UpdateEventResultEvent(TypedDict):
    event_id: str
    title: str
    start: str
    end: str
    all_day: bool
    location: str
    description: str
    timezone: str
    weekday: str
    status: str
    busy: bool
    recurrence: list[str]
    attendees: list[UpdateEventResultEventAttendees]
    organizer: str
    url: str
    categories: list[str]
    alarms: list[str]
    color: str
    sequence: int
    calendar: str
    uid: str
    etag: str
    end_date: NotRequired[str]
    event_timezone: NotRequired[str]
    floating: NotRequired[bool]
    recurring_event_id: NotRequired[str]
    hold_expires: NotRequired[str]
    group: NotRequired[str]
    space: NotRequired[str]

class UpdateEventResultConflictsAttendees(TypedDict):
    email: str
    name: str
    status: str
    optional: bool

class UpdateEventResultConflicts(TypedDict):
    event_id: str
    title: str
    start: str
    end: str
    all_day: bool
    location: str
    description: str
    timezone: str
    weekday: str
    status: str
    busy: bool
    recurrence: list[str]
    attendees: list[UpdateEventResultConflictsAttendees]
    organizer: str
    url: str
    categories: list[str]
    alarms: list[str]
    color: str
    sequence: int
    calendar: str
    uid: str
    etag: str
    end_date: NotRequired[str]
    event_timezone: NotRequired[str]
    floating: NotRequired[bool]
    recurring_event_id: NotRequired[str]
    hold_expires: NotRequired[str]
    group: NotRequired[str]
    space: NotRequired[str]

class UpdateEventResultDuplicatesAttendees(TypedDict):
    email: str
    name: str
    status: str
    optional: bool

class UpdateEventResultDuplicates(TypedDict):
    event_id: str
    title: str
    start: str
    end: str
    all_day: bool
    location: str
    description: str
    timezone: str
    weekday: str
    status: str
    busy: bool
    recurrence: list[str]
    attendees: list[UpdateEventResultDuplicatesAttendees]
    organizer: str
    url: str
    categories: list[str]
    alarms: list[str]
    color: str
    sequence: int
    calendar: str
    uid: str
    etag: str
    end_date: NotRequired[str]
    event_timezone: NotRequired[str]
    floating: NotRequired[bool]
    recurring_event_id: NotRequired[str]
    hold_expires: NotRequired[str]
    group: NotRequired[str]
    space: NotRequired[str]

class UpdateEventResult(TypedDict):
    event: UpdateEventResultEvent
    conflicts: list[UpdateEventResultConflicts]
    duplicates: list[UpdateEventResultDuplicates]
    message: str
    dry_run: NotRequired[bool]
    interpreted: NotRequired[str]
    note: NotRequired[str]

class MoveEventResultEventAttendees(TypedDict):
    email: str
    name: str
    status: str
    optional: bool

class MoveEventResultEvent(TypedDict):
    event_id: str
    title: str
    start: str
    end: str
    all_day: bool
    location: str
    description: str
    timezone: str
    weekday: str
    status: str
    busy: bool
    recurrence: list[str]
    attendees: list[MoveEventResultEventAttendees]
    organizer: str
    url: str
    categories: list[str]
    alarms: list[str]
    color: str
    sequence: int
    calendar: str
    uid: str
    etag: str
    end_date: NotRequired[str]
    event_timezone: NotRequired[str]
    floating: NotRequired[bool]
    recurring_event_id: NotRequired[str]
    hold_expires: NotRequired[str]
    group: NotRequired[str]
    space: NotRequired[str]

class MoveEventResult(TypedDict):
    event: MoveEventResultEvent
    message: str

class DeleteEventResultDeletedAttendees(TypedDict):
    email: str
    name: str
    status: str
    optional: bool

class DeleteEventResultDeleted(TypedDict):
    event_id: str
    title: str
    start: str
    end: str
    all_day: bool
    location: str
    description: str
    timezone: str
    weekday: str
    status: str
    busy: bool
    recurrence: list[str]
    attendees: list[DeleteEventResultDeletedAttendees]
    organizer: str
    url: str
    categories: list[str]
    alarms: list[str]
    color: str
    sequence: int
    calendar: str
    uid: str
    etag: str
    end_date: NotRequired[str]
    event_timezone: NotRequired[str]
    floating: NotRequired[bool]
    recurring_event_id: NotRequired[str]
    hold_expires: NotRequired[str]
    group: NotRequired[str]
    space: NotRequired[str]

class DeleteEventResult(TypedDict):
    deleted: DeleteEventResultDeleted
    scope: str
    message: str

class CheckAvailabilityResultBusy(TypedDict):
    start: str
    end: str
    minutes: int

class CheckAvailabilityResultFree(TypedDict):
    start: str
    end: str
    minutes: int

class CheckAvailabilityResultConflictsAttendees(TypedDict):
    email: str
    name: str
    status: str
    optional: bool

class CheckAvailabilityResultConflicts(TypedDict):
    event_id: str
    title: str
    start: str
    end: str
    all_day: bool
    location: str
    description: str
    timezone: str
    weekday: str
    status: str
    busy: bool
    recurrence: list[str]
    attendees: list[CheckAvailabilityResultConflictsAttendees]
    organizer: str
    url: str
    categories: list[str]
    alarms: list[str]
    color: str
    sequence: int
    calendar: str
    uid: str
    etag: str
    end_date: NotRequired[str]
    event_timezone: NotRequired[str]
    floating: NotRequired[bool]
    recurring_event_id: NotRequired[str]
    hold_expires: NotRequired[str]
    group: NotRequired[str]
    space: NotRequired[str]

class CheckAvailabilityResultTouchingAttendees(TypedDict):
    email: str
    name: str
    status: str
    optional: bool

class CheckAvailabilityResultTouching(TypedDict):
    event_id: str
    title: str
    start: str
    end: str
    all_day: bool
    location: str
    description: str
    timezone: str
    weekday: str
    status: str
    busy: bool
    recurrence: list[str]
    attendees: list[CheckAvailabilityResultTouchingAttendees]
    organizer: str
    url: str
    categories: list[str]
    alarms: list[str]
    color: str
    sequence: int
    calendar: str
    uid: str
    etag: str
    end_date: NotRequired[str]
    event_timezone: NotRequired[str]
    floating: NotRequired[bool]
    recurring_event_id: NotRequired[str]
    hold_expires: NotRequired[str]
    group: NotRequired[str]
    space: NotRequired[str]

class CheckAvailabilityResultBusyFreeAllDayAttendees(TypedDict):
    email: str
    name: str
    status: str
    optional: bool

class CheckAvailabilityResultBusyFreeAllDay(TypedDict):
    event_id: str
    title: str
    start: str
    end: str
    all_day: bool
    location: str
    description: str
    timezone: str
    weekday: str
    status: str
    busy: bool
    recurrence: list[str]
    attendees: list[CheckAvailabilityResultBusyFreeAllDayAttendees]
    organizer: str
    url: str
    categories: list[str]
    alarms: list[str]
    color: str
    sequence: int
    calendar: str
    uid: str
    etag: str
    end_date: NotRequired[str]
    event_timezone: NotRequired[str]
    floating: NotRequired[bool]
    recurring_event_id: NotRequired[str]
    hold_expires: NotRequired[str]
    group: NotRequired[str]
    space: NotRequired[str]

class CheckAvailabilityResultUnchecked(TypedDict):
    calendar: str
    reason: str

class CheckAvailabilityResultProblems(TypedDict):
    message: str
    line: NotRequired[int]
    event_id: NotRequired[str]
    calendar: NotRequired[str]
    uid: NotRequired[str]
    title: NotRequired[str]
    what: NotRequired[str]

class CheckAvailabilityResultNearestFreeBefore(TypedDict):
    start: str
    end: str
    minutes: int

class CheckAvailabilityResultNearestFreeAfter(TypedDict):
    start: str
    end: str
    minutes: int

class CheckAvailabilityResult(TypedDict):
    check_type: str
    date_from: str
    date_to: str
    weekday: str
    timezone: str
    busy: list[CheckAvailabilityResultBusy]
    free: list[CheckAvailabilityResultFree]
    free_days: list[str]
    free_minutes: int
    longest_free_minutes: int
    conflicts: list[CheckAvailabilityResultConflicts]
    touching: list[CheckAvailabilityResultTouching]
    busy_free_all_day: list[CheckAvailabilityResultBusyFreeAllDay]
    checked: list[str]
    unchecked: list[CheckAvailabilityResultUnchecked]
    problems: list[CheckAvailabilityResultProblems]
    message: str
    available: NotRequired[bool]
    nearest_free_before: NotRequired[CheckAvailabilityResultNearestFreeBefore]
    nearest_free_after: NotRequired[CheckAvailabilityResultNearestFreeAfter]
    interpreted: NotRequired[str]
    note: NotRequired[str]

class SuggestScheduleResultSuggestions(TypedDict):
    date: str
    weekday: str
    start: str
    end: str
    timezone: str
    free_from: str
    free_until: str
    duration_minutes: int
    aligned: bool
    score: int
    why: list[str]
    label: NotRequired[str]

class SuggestScheduleResultAlternatives(TypedDict):
    date: str
    weekday: str
    start: str
    end: str
    timezone: str
    free_from: str
    free_until: str
    duration_minutes: int
    aligned: bool
    score: int
    why: list[str]
    label: NotRequired[str]

class SuggestScheduleResultBlockedByAttendees(TypedDict):
    email: str
    name: str
    status: str
    optional: bool

class SuggestScheduleResultBlockedBy(TypedDict):
    event_id: str
    title: str
    start: str
    end: str
    all_day: bool
    location: str
    description: str
    timezone: str
    weekday: str
    status: str
    busy: bool
    recurrence: list[str]
    attendees: list[SuggestScheduleResultBlockedByAttendees]
    organizer: str
    url: str
    categories: list[str]
    alarms: list[str]
    color: str
    sequence: int
    calendar: str
    uid: str
    etag: str
    end_date: NotRequired[str]
    event_timezone: NotRequired[str]
    floating: NotRequired[bool]
    recurring_event_id: NotRequired[str]
    hold_expires: NotRequired[str]
    group: NotRequired[str]
    space: NotRequired[str]

class SuggestScheduleResultUnchecked(TypedDict):
    calendar: str
    reason: str

class SuggestScheduleResultProblems(TypedDict):
    message: str
    line: NotRequired[int]
    event_id: NotRequired[str]
    calendar: NotRequired[str]
    uid: NotRequired[str]
    title: NotRequired[str]
    what: NotRequired[str]

class SuggestScheduleResult(TypedDict):
    suggestions: list[SuggestScheduleResultSuggestions]
    count: int
    reason: str
    longest_free_minutes: int
    alternatives: list[SuggestScheduleResultAlternatives]
    blocked_by: list[SuggestScheduleResultBlockedBy]
    date_from: str
    date_to: str
    timezone: str
    strategy: str
    generated_at: str
    checked: list[str]
    unchecked: list[SuggestScheduleResultUnchecked]
    problems: list[SuggestScheduleResultProblems]
    message: str
    interpreted: NotRequired[str]
    note: NotRequired[str]

class ListCalendarsResultCalendars(TypedDict):
    name: str
    kind: str
    default: bool
    read_only: bool
    url: str
    events: int
    space: NotRequired[str]
    remote: NotRequired[str]

class ListCalendarsResult(TypedDict):
    calendars: list[ListCalendarsResultCalendars]
    count: int
    message: str

class AddTodoResultTodo(TypedDict):
    todo_id: str
    title: str
    due: str
    all_day: bool
    start: str
    overdue: bool
    priority: int
    status: str
    percent: int
    completed_at: str
    description: str
    location: str
    recurrence: list[str]
    url: str
    categories: list[str]
    alarms: list[str]
    timezone: str
    weekday: str
    sequence: int
    created_at: str
    updated_at: str
    calendar: str
    uid: str
    etag: str
    repeat_after: NotRequired[str]
    space: NotRequired[str]

class AddTodoResultNext(TypedDict):
    todo_id: str
    title: str
    due: str
    all_day: bool
    start: str
    overdue: bool
    priority: int
    status: str
    percent: int
    completed_at: str
    description: str
    location: str
    recurrence: list[str]
    url: str
    categories: list[str]
    alarms: list[str]
    timezone: str
    weekday: str
    sequence: int
    created_at: str
    updated_at: str
    calendar: str
    uid: str
    etag: str
    repeat_after: NotRequired[str]
    space: NotRequired[str]

class AddTodoResult(TypedDict):
    todo: AddTodoResultTodo
    message: str
    next: NotRequired[AddTodoResultNext]
    skipped: NotRequired[int]
    interpreted: NotRequired[str]
    note: NotRequired[str]

class ListTodosResultTodos(TypedDict):
    todo_id: str
    title: str
    due: str
    all_day: bool
    start: str
    overdue: bool
    priority: int
    status: str
    percent: int
    completed_at: str
    description: str
    location: str
    recurrence: list[str]
    url: str
    categories: list[str]
    alarms: list[str]
    timezone: str
    weekday: str
    sequence: int
    created_at: str
    updated_at: str
    calendar: str
    uid: str
    etag: str
    repeat_after: NotRequired[str]
    space: NotRequired[str]

class ListTodosResultUnchecked(TypedDict):
    calendar: str
    reason: str

class ListTodosResult(TypedDict):
    todos: list[ListTodosResultTodos]
    count: int
    total: int
    truncated: bool
    unchecked: list[ListTodosResultUnchecked]
    message: str
    later: NotRequired[int]
    interpreted: NotRequired[str]
    note: NotRequired[str]

class GetTodoResultTodo(TypedDict):
    todo_id: str
    title: str
    due: str
    all_day: bool
    start: str
    overdue: bool
    priority: int
    status: str
    percent: int
    completed_at: str
    description: str
    location: str
    recurrence: list[str]
    url: str
    categories: list[str]
    alarms: list[str]
    timezone: str
    weekday: str
    sequence: int
    created_at: str
    updated_at: str
    calendar: str
    uid: str
    etag: str
    repeat_after: NotRequired[str]
    space: NotRequired[str]

class GetTodoResult(TypedDict):
    todo: GetTodoResultTodo
    message: str

class EditTodoResultTodo(TypedDict):
    todo_id: str
    title: str
    due: str
    all_day: bool
    start: str
    overdue: bool
    priority: int
    status: str
    percent: int
    completed_at: str
    description: str
    location: str
    recurrence: list[str]
    url: str
    categories: list[str]
    alarms: list[str]
    timezone: str
    weekday: str
    sequence: int
    created_at: str
    updated_at: str
    calendar: str
    uid: str
    etag: str
    repeat_after: NotRequired[str]
    space: NotRequired[str]

class EditTodoResultNext(TypedDict):
    todo_id: str
    title: str
    due: str
    all_day: bool
    start: str
    overdue: bool
    priority: int
    status: str
    percent: int
    completed_at: str
    description: str
    location: str
    recurrence: list[str]
    url: str
    categories: list[str]
    alarms: list[str]
    timezone: str
    weekday: str
    sequence: int
    created_at: str
    updated_at: str
    calendar: str
    uid: str
    etag: str
    repeat_after: NotRequired[str]
    space: NotRequired[str]

class EditTodoResult(TypedDict):
    todo: EditTodoResultTodo
    message: str
    next: NotRequired[EditTodoResultNext]
    skipped: NotRequired[int]
    interpreted: NotRequired[str]
    note: NotRequired[str]

class MoveTodoResultTodo(TypedDict):
    todo_id: str
    title: str
    due: str
    all_day: bool
    start: str
    overdue: bool
    priority: int
    status: str
    percent: int
    completed_at: str
    description: str
    location: str
    recurrence: list[str]
    url: str
    categories: list[str]
    alarms: list[str]
    timezone: str
    weekday: str
    sequence: int
    created_at: str
    updated_at: str
    calendar: str
    uid: str
    etag: str
    repeat_after: NotRequired[str]
    space: NotRequired[str]

class MoveTodoResult(TypedDict):
    todo: MoveTodoResultTodo
    message: str

class CompleteTodoResultTodo(TypedDict):
    todo_id: str
    title: str
    due: str
    all_day: bool
    start: str
    overdue: bool
    priority: int
    status: str
    percent: int
    completed_at: str
    description: str
    location: str
    recurrence: list[str]
    url: str
    categories: list[str]
    alarms: list[str]
    timezone: str
    weekday: str
    sequence: int
    created_at: str
    updated_at: str
    calendar: str
    uid: str
    etag: str
    repeat_after: NotRequired[str]
    space: NotRequired[str]

class CompleteTodoResultNext(TypedDict):
    todo_id: str
    title: str
    due: str
    all_day: bool
    start: str
    overdue: bool
    priority: int
    status: str
    percent: int
    completed_at: str
    description: str
    location: str
    recurrence: list[str]
    url: str
    categories: list[str]
    alarms: list[str]
    timezone: str
    weekday: str
    sequence: int
    created_at: str
    updated_at: str
    calendar: str
    uid: str
    etag: str
    repeat_after: NotRequired[str]
    space: NotRequired[str]

class CompleteTodoResult(TypedDict):
    todo: CompleteTodoResultTodo
    message: str
    next: NotRequired[CompleteTodoResultNext]
    skipped: NotRequired[int]
    interpreted: NotRequired[str]
    note: NotRequired[str]

class RemoveTodoResultRemoved(TypedDict):
    todo_id: str
    title: str
    due: str
    all_day: bool
    start: str
    overdue: bool
    priority: int
    status: str
    percent: int
    completed_at: str
    description: str
    location: str
    recurrence: list[str]
    url: str
    categories: list[str]
    alarms: list[str]
    timezone: str
    weekday: str
    sequence: int
    created_at: str
    updated_at: str
    calendar: str
    uid: str
    etag: str
    repeat_after: NotRequired[str]
    space: NotRequired[str]

class RemoveTodoResult(TypedDict):
    removed: RemoveTodoResultRemoved
    message: str

class GrepResultMatches(TypedDict):
    path: str
    line: int
    column: int
    text: str
    before: list[str]
    after: list[str]
    clipped: NotRequired[bool]
    lossy: NotRequired[bool]
    normalized: NotRequired[bool]

class GrepResultSkipped(TypedDict):
    ignored: int
    hidden: int
    binary: int
    too_large: int
    unreadable: int
    links: NotRequired[int]

class GrepResultCounts(TypedDict):
    path: str
    count: int

class GrepResult(TypedDict):
    matches: list[GrepResultMatches]
    count: int
    files: int
    truncated: bool
    next_cursor: str
    timed_out: bool
    skipped: GrepResultSkipped
    also_in: Any
    message: str
    paths: NotRequired[list[str]]
    counts: NotRequired[list[GrepResultCounts]]

class GlobResultSkipped(TypedDict):
    ignored: int
    hidden: int
    unreadable: int
    links: NotRequired[int]

class GlobResult(TypedDict):
    paths: list[str]
    count: int
    total: int
    truncated: bool
    timed_out: bool
    skipped: GlobResultSkipped
    also_in: Any
    message: str
    next_cursor: NotRequired[str]
    normalized: NotRequired[int]

class ReadFileResult(TypedDict):
    path: str
    text: str
    start_line: int
    end_line: int
    total_lines: int
    hash: str
    truncated: bool
    encoding: str
    newline: str
    bytes: int
    message: str
    next_offset: NotRequired[int]
    next_line_offset: NotRequired[int]
    encoding_guessed: NotRequired[bool]
    bom: NotRequired[bool]
    lossy: NotRequired[bool]
    type: NotRequired[str]
    pages: NotRequired[int]
    first_page: NotRequired[int]
    last_page: NotRequired[int]
    width: NotRequired[int]
    height: NotRequired[int]
    base64: NotRequired[str]
    normalized: NotRequired[bool]

class WriteFileResult(TypedDict):
    path: str
    created: bool
    bytes: int
    hash: str
    encoding: str
    undoable: bool
    message: str
    normalized: NotRequired[list[str]]
    created_folders: NotRequired[list[str]]
    notes: NotRequired[list[str]]

class EditFileResultFiles(TypedDict):
    path: str
    replacements: int
    hash: str

class EditFileResult(TypedDict):
    path: str
    replacements: int
    diff: str
    hash: str
    undoable: bool
    message: str
    diff_truncated: NotRequired[bool]
    dry_run: NotRequired[bool]
    files: NotRequired[list[EditFileResultFiles]]
    normalized: NotRequired[list[str]]
    notes: NotRequired[list[str]]

class InsertTextResultFiles(TypedDict):
    path: str
    replacements: int
    hash: str

class InsertTextResult(TypedDict):
    path: str
    replacements: int
    diff: str
    hash: str
    undoable: bool
    message: str
    diff_truncated: NotRequired[bool]
    dry_run: NotRequired[bool]
    files: NotRequired[list[InsertTextResultFiles]]
    normalized: NotRequired[list[str]]
    notes: NotRequired[list[str]]

ApplyPatchResultFiles = TypedDict("ApplyPatchResultFiles", {
    "path": str,
    "action": str,
    "replacements": int,
    "hash": str,
    "from": NotRequired[str],
    "mode": NotRequired[str],
})

class ApplyPatchResult(TypedDict):
    files: list[ApplyPatchResultFiles]
    diff: str
    undoable: bool
    message: str
    diff_truncated: NotRequired[bool]
    created_folders: NotRequired[list[str]]
    removed_folders: NotRequired[list[str]]
    normalized: NotRequired[list[str]]
    dry_run: NotRequired[bool]
    notes: NotRequired[list[str]]

class ListFilesResultEntries(TypedDict):
    path: str
    kind: str
    size: int
    modified: str

class ListFilesResultSkipped(TypedDict):
    ignored: int
    hidden: int
    unreadable: int
    links: NotRequired[int]

class ListFilesResult(TypedDict):
    entries: list[ListFilesResultEntries]
    count: int
    total: int
    files: int
    size: int
    truncated: bool
    timed_out: bool
    skipped: ListFilesResultSkipped
    message: str
    next_cursor: NotRequired[str]

MoveFileResult = TypedDict("MoveFileResult", {
    "from": str,
    "to": str,
    "undoable": bool,
    "message": str,
    "created_folders": NotRequired[list[str]],
    "dry_run": NotRequired[bool],
    "normalized": NotRequired[list[str]],
    "notes": NotRequired[list[str]],
})

class RemoveFileResult(TypedDict):
    removed: str
    paths: list[str]
    undoable: bool
    message: str
    dry_run: NotRequired[bool]
    normalized: NotRequired[list[str]]
    notes: NotRequired[list[str]]

class UndoEditResultFiles(TypedDict):
    path: str
    state: str
    hash: str

class UndoEditResult(TypedDict):
    files: list[UndoEditResultFiles]
    tool: str
    edited_at: str
    diff: str
    message: str
    diff_truncated: NotRequired[bool]
    created_folders: NotRequired[list[str]]
    removed_folders: NotRequired[list[str]]
    dry_run: NotRequired[bool]
    notes: NotRequired[list[str]]

class ListHistoryResultChanges(TypedDict):
    id: str
    tool: str
    family: str
    about: str
    title: str
    records: int
    by: str
    client: str
    session: str
    at: str
    undone: bool
    undone_by: NotRequired[str]
    undoes: NotRequired[str]
    space: NotRequired[str]
    moved: NotRequired[str]
    assurance: NotRequired[str]

class ListHistoryResult(TypedDict):
    changes: list[ListHistoryResultChanges]
    total: int
    next_cursor: str
    message: str
    interpreted: NotRequired[str]
    note: NotRequired[str]

class ShowChangeResultChange(TypedDict):
    id: str
    tool: str
    family: str
    about: str
    title: str
    records: int
    by: str
    client: str
    session: str
    at: str
    undone: bool
    undone_by: NotRequired[str]
    undoes: NotRequired[str]
    space: NotRequired[str]
    moved: NotRequired[str]
    assurance: NotRequired[str]

class ShowChangeResult(TypedDict):
    change: ShowChangeResultChange
    before: str
    after: str
    diff: str
    message: str
    left: NotRequired[int]

class ListSpacesResultSpaces(TypedDict):
    name: str
    role: str
    members: int
    created_at: str

class ListSpacesResultInvitations(TypedDict):
    name: str
    role: str

class ListSpacesResult(TypedDict):
    spaces: list[ListSpacesResultSpaces]
    message: str
    invitations: NotRequired[list[ListSpacesResultInvitations]]

class ListSpaceMembersResultSpaceMembers(TypedDict):
    user: str
    role: str

class ListSpaceMembersResultSpaceInvited(TypedDict):
    user: str
    role: str

class ListSpaceMembersResultSpace(TypedDict):
    name: str
    role: str
    created_at: str
    members: list[ListSpaceMembersResultSpaceMembers]
    invited: NotRequired[list[ListSpaceMembersResultSpaceInvited]]

class ListSpaceMembersResult(TypedDict):
    space: ListSpaceMembersResultSpace
    message: str

class AskUserResult(TypedDict):
    question_id: str
    status: str
    answer: str
    index: int
    answers: list[str]
    indexes: list[int]
    source: str
    by: str
    via: str
    assurance: Literal["none", "client", "secret"]
    latency_ms: int
    message: str
    late: NotRequired[bool]
    notify_problem: NotRequired[str]
    hint: NotRequired[str]

class ListQuestionsResultQuestionsLate(TypedDict):
    answer: str
    by: str
    via: str
    assurance: Literal["none", "client", "secret"]
    answered_at: str

class ListQuestionsResultQuestions(TypedDict):
    question_id: str
    question: str
    options: list[str]
    multiple: bool
    default: str
    key: str
    status: str
    answer: str
    answers: list[str]
    index: int
    source: str
    by: str
    via: str
    assurance: Literal["none", "client", "secret"]
    latency_ms: int
    asked_by: str
    dir: str
    pid: int
    asked_at: str
    late: list[ListQuestionsResultQuestionsLate]
    no_other: NotRequired[bool]
    secret: NotRequired[bool]
    needs: NotRequired[Literal["none", "client", "secret"]]
    expires_at: NotRequired[str]
    answered_at: NotRequired[str]
    answered_pid: NotRequired[int]
    answered_dir: NotRequired[str]

class ListQuestionsResult(TypedDict):
    questions: list[ListQuestionsResultQuestions]
    count: int
    total: int
    message: str

class WaitForAnswerResult(TypedDict):
    question_id: str
    status: str
    answer: str
    index: int
    answers: list[str]
    indexes: list[int]
    source: str
    by: str
    via: str
    assurance: Literal["none", "client", "secret"]
    latency_ms: int
    message: str
    late: NotRequired[bool]
    notify_problem: NotRequired[str]
    hint: NotRequired[str]

class WebFetchResultPagesRemoved(TypedDict):
    hidden: int
    comments: int
    invisible: int

class WebFetchResultPagesMetadata(TypedDict):
    author: str
    published: str
    modified: str
    site: str
    description: str
    canonical: str

class WebFetchResultPagesOutline(TypedDict):
    level: int
    text: str

class WebFetchResultPagesLinks(TypedDict):
    text: str
    url: str

class WebFetchResultPagesImages(TypedDict):
    alt: str
    url: str

class WebFetchResultPagesComments(TypedDict):
    text: str
    author: NotRequired[str]
    date: NotRequired[str]
    depth: NotRequired[int]

class WebFetchResultPagesRelated(TypedDict):
    text: str
    url: str

class WebFetchResultPagesErrorDetails(TypedDict):
    path: str
    message: str
    hint: NotRequired[str]

class WebFetchResultPagesError(TypedDict):
    code: str
    message: str
    retryable: bool
    hint: NotRequired[str]
    tool: NotRequired[str]
    details: NotRequired[list[WebFetchResultPagesErrorDetails]]

class WebFetchResultPages(TypedDict):
    url: str
    final_url: NotRequired[str]
    redirects: NotRequired[list[str]]
    status: NotRequired[int]
    content_type: NotRequired[str]
    charset: NotRequired[str]
    title: NotRequired[str]
    lang: NotRequired[str]
    text: NotRequired[str]
    start: NotRequired[int]
    end: NotRequired[int]
    total_chars: NotRequired[int]
    truncated: NotRequired[bool]
    cached: NotRequired[bool]
    via_proxy: NotRequired[bool]
    quality: NotRequired[float]
    needs_javascript: NotRequired[bool]
    incomplete: NotRequired[bool]
    removed: NotRequired[WebFetchResultPagesRemoved]
    kind: NotRequired[str]
    source: NotRequired[str]
    rendered: NotRequired[bool]
    browser: NotRequired[str]
    matches: NotRequired[int]
    metadata: NotRequired[WebFetchResultPagesMetadata]
    outline: NotRequired[list[WebFetchResultPagesOutline]]
    links: NotRequired[list[WebFetchResultPagesLinks]]
    images: NotRequired[list[WebFetchResultPagesImages]]
    comments: NotRequired[list[WebFetchResultPagesComments]]
    related: NotRequired[list[WebFetchResultPagesRelated]]
    alternate: NotRequired[str]
    refresh_to: NotRequired[str]
    saved: NotRequired[str]
    created_folders: NotRequired[list[str]]
    cache_problem: NotRequired[str]
    reason: NotRequired[str]
    hint: NotRequired[str]
    untrusted: NotRequired[bool]
    bytes: NotRequired[int]
    fetched_at: NotRequired[str]
    message: NotRequired[str]
    error: NotRequired[WebFetchResultPagesError]

class WebFetchResultRemoved(TypedDict):
    hidden: int
    comments: int
    invisible: int

class WebFetchResultMetadata(TypedDict):
    author: str
    published: str
    modified: str
    site: str
    description: str
    canonical: str

class WebFetchResultOutline(TypedDict):
    level: int
    text: str

class WebFetchResultLinks(TypedDict):
    text: str
    url: str

class WebFetchResultImages(TypedDict):
    alt: str
    url: str

class WebFetchResultComments(TypedDict):
    text: str
    author: NotRequired[str]
    date: NotRequired[str]
    depth: NotRequired[int]

class WebFetchResultRelated(TypedDict):
    text: str
    url: str

class WebFetchResult(TypedDict):
    untrusted: bool
    bytes: int
    fetched_at: str
    message: str
    pages: NotRequired[list[WebFetchResultPages]]
    url: NotRequired[str]
    final_url: NotRequired[str]
    redirects: NotRequired[list[str]]
    status: NotRequired[int]
    content_type: NotRequired[str]
    charset: NotRequired[str]
    title: NotRequired[str]
    lang: NotRequired[str]
    text: NotRequired[str]
    start: NotRequired[int]
    end: NotRequired[int]
    total_chars: NotRequired[int]
    truncated: NotRequired[bool]
    cached: NotRequired[bool]
    via_proxy: NotRequired[bool]
    quality: NotRequired[float]
    needs_javascript: NotRequired[bool]
    incomplete: NotRequired[bool]
    removed: NotRequired[WebFetchResultRemoved]
    kind: NotRequired[str]
    source: NotRequired[str]
    rendered: NotRequired[bool]
    browser: NotRequired[str]
    matches: NotRequired[int]
    metadata: NotRequired[WebFetchResultMetadata]
    outline: NotRequired[list[WebFetchResultOutline]]
    links: NotRequired[list[WebFetchResultLinks]]
    images: NotRequired[list[WebFetchResultImages]]
    comments: NotRequired[list[WebFetchResultComments]]
    related: NotRequired[list[WebFetchResultRelated]]
    alternate: NotRequired[str]
    refresh_to: NotRequired[str]
    saved: NotRequired[str]
    created_folders: NotRequired[list[str]]
    cache_problem: NotRequired[str]
    reason: NotRequired[str]
    hint: NotRequired[str]
