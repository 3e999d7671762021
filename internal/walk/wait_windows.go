package walk

// noWait is not needed on Windows, where pipes are not files.
const noWait = 0
