package walk

// noWait is for pipes, which are no files here.
const noWait = 0
