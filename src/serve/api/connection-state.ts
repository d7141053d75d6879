/** compat server §2.8: whether a repository or a cluster was reachable when it was last tried. */
export type ConnectionState = {
  readonly status: 'Successful' | 'Failed' | 'Unknown';
  readonly message: string;
  /** Null: not tried yet. */
  readonly attemptedAt: string | null;
};
