import type { Connection } from '../data/object-feed.ts';
import { Link } from '../kit/link.tsx';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import type { ObjectName } from '../shape/address.ts';

type AbsentProps = {
  place: ObjectName;
  /** What it would be: `application`. */
  kind: string;
  /** The feed that does not bring it. */
  feed: { readonly items?: readonly unknown[]; readonly connection: Connection; readonly error?: string };
  listPath: string;
};

/** Instead of an object that is not there: still loading, the server unavailable, or no such object. */
export function Absent({ place: { namespace, name }, kind, feed, listPath }: AbsentProps) {
  const { items, connection, error } = feed;
  if (!items && connection.state !== 'lost') {
    return (
      <div className="page">
        <Skeleton isPage label={`Loading the ${kind}`} rows={10} />
      </div>
    );
  }
  const absence = `Namespace ${namespace} has no ${kind} of this name, or you may not see it.`;
  return (
    <Problem
      isPage
      title={items ? `There is no ${name}` : `The ${kind} cannot be shown`}
      message={items ? absence : `${error ?? 'The server does not answer'}. Trying again by itself.`}
    >
      <Link to={listPath} className="button">
        All {kind}s
      </Link>
    </Problem>
  );
}
