import './pods.css';
import type { ResourceKey } from '#base/model';
import type { ResourceTree } from '#serve/api';
import type { AppRef } from '../data/use-application.ts';
import { Link } from '../kit/link.tsx';
import { viewPath } from '../shape/address.ts';
import { podsByNode } from '../shape/pods-by-node.ts';
import type { TreeItem } from '../shape/resource-forest.ts';
import { factsOf } from '../shape/resource-line.ts';
import { counted } from '../shape/span.ts';
import { HealthMark } from './mark.tsx';

/** The pods by the machine that they run on, with what is requested there. */
export function PodsView({
  items,
  tree,
  place,
  selected,
}: {
  items: readonly TreeItem[];
  tree: ResourceTree | undefined;
  place: AppRef;
  selected: ResourceKey | undefined;
}) {
  const nodes = podsByNode(items, tree?.hosts);
  if (nodes.length === 0) return <p className="none-left">It has no pods.</p>;
  return (
    <div className="pod-nodes">
      {nodes.map(({ name, pods, uses }) => (
        <section key={name} aria-label={`Node ${name}`} className="pod-node">
          <header>
            <h3>{name}</h3>
            <small>{counted(pods.length, 'pod')}</small>
          </header>
          {uses.map(({ label, own, others, text }) => (
            <div key={label} className="node-use" title={text}>
              <small>{label}</small>
              <div className="node-use-bar">
                <i className="own" style={{ width: `${Math.min(100, own * 100)}%` }} />
                <i style={{ width: `${Math.min(100, others * 100)}%` }} />
              </div>
              <small>{text}</small>
            </div>
          ))}
          <ul className="pods">
            {pods.map((pod) => (
              <li key={pod.key}>
                <Link
                  to={viewPath(place, 'pods', pod.key)}
                  className="pod"
                  aria-current={pod.key === selected || undefined}
                >
                  <HealthMark status={pod.health ?? 'Unknown'} />
                  <span className="cut">{pod.name}</span>
                  <small className="cut">
                    {[pod.health ?? 'Unknown', ...factsOf(pod).map(({ text }) => text)].join(' · ')}
                  </small>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
