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
		calImportCommand(s),
		calExportCommand(s),
		calCalendarsCommand(),
		calHoldCommand(),
		calConfirmCommand(),
		calAuthGoogleCommand(s),
		mcpCommand(),
		serveCommand(),
		skillCommand(),
		importMemoriesCommand(s),
		exportMemoriesCommand(s),
		exportMemosCommand(s),
		exportCalendarCommand(s),
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
		manCommand(),
		versionCommand(),
	)
}
