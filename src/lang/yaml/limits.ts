/** The limits of one call. Exceeding any of them throws LimitExceeded. */
export type YamlLimits = {
  /** Bytes of a Uint8Array, UTF-16 units of a string. */
  readonly bytes: number;
  readonly documents: number;
  /** Collections inside collections, counted after aliases are expanded. */
  readonly depth: number;
  /** Uses of `*name`, over all documents. */
  readonly aliases: number;
  /** Scalars and collections, over all documents, counted after aliases and merges are expanded. */
  readonly nodes: number;
};

/**
 * compat sources 1.18: a directory may hold 10 MB (SI) of manifests. go-yaml stops near 400,000 nodes that
 * came from aliases; a real file of 10 MB has about as many in all, so a million leaves room for both.
 */
export const defaultLimits: YamlLimits = {
  bytes: 10_000_000,
  documents: 20_000,
  depth: 500,
  aliases: 100_000,
  nodes: 1_000_000,
};

/** The remaining limits while one text is read; shared by all its documents. */
export type YamlBudget = { readonly limits: YamlLimits; documents: number; aliases: number; nodes: number };

export const openBudget = (limits: YamlLimits): YamlBudget => ({
  limits,
  documents: 0,
  aliases: 0,
  nodes: 0,
});
