// Package proof tries to break a store through the command line alone: with kills, many
// processes, full disks, failing system calls, damaged files and a database that goes away.
// What an engine alone promises, also when the power fails, the tests of store/kv/folder check.
//
// An ordinary run takes small samples, TECHO_TEST_ALL=1 larger ones, and both
// TECHO_TEST_ALL=1 and TECHO_TEST_LONG=1 take hours.
package proof
