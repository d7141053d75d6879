import {
  type Application,
  effectiveSources,
  hasMultipleSources,
  type OperationState,
  type Source,
  type SyncOperation,
} from '#base/model';

/** The sources that an operation syncs, and their revisions once they are resolved. */
export type Pinned = {
  readonly sources: readonly Source[];
  /** compat engine A-5: it has a list of sources, be it of one; it is recorded as such. */
  readonly isMultiple: boolean;
  readonly revisions?: readonly string[];
};

/** compat engine R-34: the revision first resolved stays, however often the branch moves meanwhile. */
export function pinnedBy(app: Application, { operation, syncResult }: OperationState): Pinned {
  const { sync = {} } = operation;
  const { revision, revisions } = sync;
  const fixed =
    listOf(syncResult?.revisions, syncResult?.revision) ?? listOf(revisions, revision) ?? undefined;
  return { ...given(app, sync), ...(fixed && { revisions: fixed }) };
}

/**
 * The operation's own sources decide, whatever the spec has become since: a rollback restores what was
 * deployed then.
 */
function given(
  { spec }: Application,
  { source, sources }: SyncOperation,
): Pick<Pinned, 'sources' | 'isMultiple'> {
  if (sources?.length) return { sources, isMultiple: true };
  if (source) return { sources: [source], isMultiple: false };
  return { sources: effectiveSources(spec), isMultiple: hasMultipleSources(spec) };
}

const listOf = (
  many: readonly string[] | undefined,
  one: string | undefined,
): readonly string[] | undefined => many ?? (one ? [one] : undefined);

/** compat engine R-34, S-41: what is being synced, written once, on the first pass; the same state when it is written already. */
export function pin(app: Application, state: OperationState, revisions: readonly string[]): OperationState {
  if (state.syncResult) return state;
  const { sources, isMultiple } = pinnedBy(app, state);
  const [revision] = revisions;
  const what = isMultiple
    ? { revisions: [...revisions], sources: [...sources] }
    : { ...(revision && { revision }), ...(sources[0] && { source: sources[0] }) };
  const metadata = app.spec.syncPolicy?.managedNamespaceMetadata;
  return {
    ...state,
    syncResult: { ...what, resources: [], ...(metadata && { managedNamespaceMetadata: metadata }) },
  };
}

/**
 * compat engine R-18: the local manifests of the last sync, which replace Git's until another operation
 * replaces them, also long after that sync has ended; undefined: compare with Git's.
 */
export function localManifests({ status }: Application): readonly string[] | undefined {
  const held = status?.operationState?.operation.sync?.manifests;
  return held?.length ? held : undefined;
}
