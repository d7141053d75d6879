import type { Repository } from '#base/model';

/** The fields of a repository that we need. A whole record fits. */
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
    /** The project whose applications use it: no project takes the place of the others in queues for hosts. */
    readonly tenant?: string;
    /** Warnings for the user about how its credentials were found. */
    readonly warnings?: readonly string[];
  };
