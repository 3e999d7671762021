package system

import (
	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// Language returns the language in which Windows shows itself to the person, such as "ja-JP".
func Language() string {
	if all, err := windows.GetUserPreferredUILanguages(windows.MUI_LANGUAGE_NAME); err == nil && len(all) > 0 {
		return all[0]
	}
	return ""
}

// Zone returns the name that Windows gives to the system's zone, such as "Tokyo Standard Time".
// It is "" if it is unknown, or if the person has switched summer time off.
func Zone() (name string, windows bool) {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, `SYSTEM\CurrentControlSet\Control\TimeZoneInformation`,
		registry.QUERY_VALUE)
	if err != nil {
		return "", true
	}
	defer k.Close()
	if fixed, _, err := k.GetIntegerValue("DynamicDaylightTimeDisabled"); err == nil && fixed != 0 {
		return "", true
	}
	name, _, _ = k.GetStringValue("TimeZoneKeyName")
	return name, true
}
