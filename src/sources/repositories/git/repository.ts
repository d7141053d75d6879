import type { Repository } from '#base/model';

/** What we need to know of a repository. Its whole record fits. */
export type GitRepository = Pick<Repository, 'url'> &
  Partial<
    Pick<
      Repository,
      | 'credentials'
      | 'insecure'
      | 'insecureIgnoreHostKey'
      | 'proxy'
      | 'noProxy'
      | 'depth'
      | 'enableLfs'
      | 'problem'
    >
  > & {
    /** What a user should know about how its credentials were found. */
    readonly warnings?: readonly string[];
  };
