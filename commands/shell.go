package commands

import "techo/tools/ask"

// shellCommands are the commands that are for a shell alone, and no tools for
// an agent.
func shellCommands(s *session) []*command {
	var all []*command
	for _, t := range ask.Shell() {
		all = append(all, &command{Tool: t})
	}
	return append(all,
		callCommand(),
		toolsCommand(s),
		importMemoriesCommand(s),
		exportMemoriesCommand(s),
		exportMemosCommand(s),
		initCommand(s),
		storeInfoCommand(),
		storeVerifyCommand(),
		storeCompactCommand(),
		storeBackupCommand(s),
		storeRestoreCommand(s),
		doctorCommand(s),
		completionCommand(),
		candidatesCommand(),
		helpCommand(),
		versionCommand(),
	)
}
