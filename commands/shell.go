package commands

import (
	"techo/commands/line"
	"techo/tools/ask"
)

// shellCommands returns the commands that are not tools for agents.
func shellCommands(a *line.App) []*line.Command {
	s := a.Run
	var all []*line.Command
	for _, t := range ask.Shell() {
		all = append(all, &line.Command{Tool: t})
	}
	all = append(all, configCommands(s)...)
	return append(all,
		callCommand(),
		toolsCommand(s),
		calImportCommand(s),
		calExportCommand(s),
		calDefaultCommand(), calRenameCommand(), calRemoveCommand(s),
		calDueCommand(),
		calHoldCommand(),
		calConfirmCommand(),
		calAuthGoogleCommand(s), calAuthCalDAVCommand(s), calSubscribeCommand(),
		setupCommand(s), hookCommand(),
		mcpCommand(),
		serveCommand(),
		pageCommand(),
		loginCommand(s), logoutCommand(s),
		tokenAddCommand(s),
		tokenListCommand(),
		tokenRemoveCommand(),
		skillCommand(),
		initCommand(s),
		storeInfoCommand(),
		storeVerifyCommand(),
		storeCompactCommand(),
		storeMigrateCommand(s),
		storeCopyCommand(s),
		storeBackupCommand(s),
		storeRestoreCommand(s),
		storeTrustCommand(s),
		doctorCommand(s),
		importMemoriesCommand(s),
		importMemosCommand(s),
		exportMemoriesCommand(s),
		exportMemosCommand(s),
		exportCalendarCommand(s),
		line.HelpCommand(a),
		line.ManCommand(a),
		line.CompletionCommand(),
		line.CandidatesCommand(a),
		versionCommand(),
	)
}
