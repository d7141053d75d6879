/**
 * # source: a repository and a revision in, a tree of files out
 *
 * There is one bare mirror for each repository and no checkout. Files are read from Git's objects by programs that
 * stay; what two commits have in common is read once and held once. Git is the machine's own.
 *
 * It promises:
 *
 * 1. **A commit is read as it is.** No line ends are turned, no attributes obeyed, no filters run (VFT-3).
 * 2. **Readers never wait for a fetch**, nor for another revision. Fetches into one mirror take turns.
 * 3. **A mirror is whole or it is made anew.** It appears by a rename, a fetch arrives as one pack, locks of a killed
 *    process are cleared, and a mirror that turns out damaged is thrown away and fetched again.
 * 4. **Asking is shared.** However many want to know, one `ls-remote` and one fetch of a commit are under way for each
 *    repository and credential. A caller that leaves does not end it for the others.
 * 5. **A mirror is shared, the right to read it is not.** Whoever reads shows first that the other side lets them in.
 * 6. **Git sees nothing of this machine**: no user's or system's configuration, no hooks, no prompts, no helper, and no
 *    protocol but the one the URL names. Credentials reach only the programs that speak to the host, never an argument.
 * 7. **Names of strangers are never arguments.** Git is given hashes, names that the server advertised, and a checked URL.
 * 8. **Only permitted places are reached**: listed folders of this machine; no link-local, metadata or loopback address;
 *    the address that was checked is the one connected to; redirects are not followed.
 *
 * It refuses to write to a repository, to run submodules or filters, and to print a URL with its user.
 */
export type { GitRepository, Reach } from './git/access.ts';
export type { CommitDetails } from './git/commit.ts';
export type { Refs } from './git/refs.ts';
export type { RefAge } from './git/remote-refs.ts';
export {
  createSources,
  type ResolvedRevision,
  type RevisionOptions,
  type SourceLimits,
  type Sources,
  type SourcesConfig,
} from './resolve.ts';
