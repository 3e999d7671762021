package line

// powershellCompletion works in Windows PowerShell 5.1 and in PowerShell 7. It
// takes the words from the parsed line: strings without their quotes, everything
// else as typed. PowerShell before 7.3 drops an empty argument unless it is
// quoted twice. The curly quotes end a text in PowerShell like the straight one, so
// each of them is doubled.
const powershellCompletion = `# PowerShell completion for techo
Register-ArgumentCompleter -Native -CommandName techo -ScriptBlock {
	param($wordToComplete, $commandAst, $cursorPosition)
	$words = @($commandAst.CommandElements | Select-Object -Skip 1 |
		Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
		ForEach-Object {
			if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value }
			else { $_.Extent.Text }
		})
	if ($wordToComplete -eq '') {
		$words += if ($PSVersionTable.PSVersion -lt [version]'7.3') { '""' } else { '' }
	}
	& techo complete '--' @words 2>$null | ForEach-Object {
		$word, $about = $_ -split "\t", 2
		$text = $word
		if ($word -match '[^\w./:=+-]') { $text = "'" + ($word -replace "['\u2018-\u201b]", '$0$0') + "'" }
		if (-not $about) { $about = $word }
		[System.Management.Automation.CompletionResult]::new($text, $word, 'ParameterValue', $about)
	}
}
`
