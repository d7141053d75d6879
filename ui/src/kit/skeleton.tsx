type SkeletonProps = {
  label: string;
  rows: number;
  height?: number;
  /** A sentence and a strip stand above the rows. */
  isPage?: boolean;
};

/** The loading state: the shape of what will come. It stays unseen for its first 200 ms. */
export function Skeleton({ label, rows, height = 40, isPage }: SkeletonProps) {
  return (
    <div className="skeleton" role="status" aria-label={label}>
      {isPage && (
        <div className="skeleton-head">
          <i className="sentence-bar" />
          <i />
        </div>
      )}
      {Array.from({ length: rows }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows without content have no other name
        <div key={at} className="skeleton-row" style={{ height }}>
          <i style={{ width: `${28 - ((at * 7) % 12)}%` }} />
          <i style={{ width: '10%' }} />
          <i style={{ width: `${18 - ((at * 5) % 7)}%` }} />
        </div>
      ))}
    </div>
  );
}
