// bcryptprimitives.dll for Wine 8, so that programs of Go run: ProcessPrng, and answers to
// two requests of NtSetInformationFile as from a file system without POSIX semantics, which
// Go then does without.
#include <windows.h>
#include <string.h>

BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE b, SIZE_T n) { return SystemFunction036(b, (ULONG)n); }

typedef LONG (NTAPI *set_information)(HANDLE, void *, void *, ULONG, int);
static set_information original;

static LONG NTAPI without_posix(HANDLE h, void *io, void *info, ULONG n, int class) {
	if (class == 64 || class == 65) // FileDispositionInformationEx, FileRenameInformationEx
		return 0xC0000003;          // STATUS_INVALID_INFO_CLASS
	return original(h, io, info, n, class);
}

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, LPVOID reserved) {
	if (reason != DLL_PROCESS_ATTACH)
		return TRUE;
	BYTE *base = (BYTE *)GetModuleHandleA("ntdll.dll");
	IMAGE_NT_HEADERS *head = (IMAGE_NT_HEADERS *)(base + ((IMAGE_DOS_HEADER *)base)->e_lfanew);
	IMAGE_EXPORT_DIRECTORY *exports =
		(IMAGE_EXPORT_DIRECTORY *)(base + head->OptionalHeader.DataDirectory[0].VirtualAddress);
	DWORD *names = (DWORD *)(base + exports->AddressOfNames), *functions = (DWORD *)(base + exports->AddressOfFunctions);
	WORD *places = (WORD *)(base + exports->AddressOfNameOrdinals);
	for (DWORD i = 0; i < exports->NumberOfNames; i++) {
		if (lstrcmpA((char *)base + names[i], "NtSetInformationFile"))
			continue;
		DWORD old, *f = &functions[places[i]];
		original = (set_information)(base + *f);
		VirtualProtect(f, sizeof *f, PAGE_READWRITE, &old);
		*f = (DWORD)((BYTE *)without_posix - base);
		VirtualProtect(f, sizeof *f, old, &old);
	}
	return TRUE;
}
