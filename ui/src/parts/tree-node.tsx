import { memo } from 'react';
import { Icon } from '../kit/icon.tsx';
import type { TreeItem } from '../shape/resource-forest.ts';
import { factsOf } from '../shape/resource-line.ts';
import { shortAge } from '../shape/time.ts';
import type { TreeBox } from '../shape/tree-fold.ts';
import type { Measures, Placed } from '../shape/tree-layout.ts';
import { HealthMark, SyncMark } from './mark.tsx';

type NodeProps = {
  placed: Placed<TreeBox>;
  measures: Measures;
  isSelected: boolean;
  now: number;
  onChoose(box: TreeBox): void;
  onFold(box: TreeBox): void;
};

/** One box: mark, name, age, and a line of what matters. */
export const TreeNode = memo(function TreeNode({
  placed,
  measures,
  isSelected,
  now,
  onChoose,
  onFold,
}: NodeProps) {
  const { box, x, y, level, place, siblings } = placed;
  const hasInside = box.item !== undefined && box.item.children.length > 0;
  return (
    <div
      className="node-place"
      style={{ translate: `${x}px ${y}px`, width: measures.width, height: measures.height }}
    >
      <button
        type="button"
        role="treeitem"
        className={`node${box.application ? ' root' : ''}${box.crowd ? ' crowd' : ''}`}
        aria-level={level + 1}
        aria-posinset={place}
        aria-setsize={siblings}
        aria-selected={isSelected}
        aria-expanded={hasInside ? !box.hidden : undefined}
        tabIndex={isSelected || level === 0 ? 0 : -1}
        onClick={() => onChoose(box)}
      >
        <NodeBody box={box} now={now} />
      </button>
      {hasInside && (
        <button
          type="button"
          className="fold-button"
          tabIndex={-1}
          aria-label={box.hidden ? 'Unfold' : 'Fold'}
          onClick={() => onFold(box)}
        >
          {box.hidden ? (
            <>
              {box.hidden.worst && <HealthMark status={box.hidden.worst} size={12} />}
              {box.hidden.count}
            </>
          ) : (
            <Icon name="minus" size={10} />
          )}
        </button>
      )}
    </div>
  );
});

function NodeBody({ box, now }: { box: TreeBox; now: number }) {
  const { application, crowd, item } = box;
  if (application) {
    return (
      <>
        <HealthMark status={application.health} size={18} />
        <span className="node-words">
          <b className="cut">{application.name}</b>
          <small className="cut">
            Application · {application.health} · {application.sync}
          </small>
        </span>
      </>
    );
  }
  if (crowd) {
    return (
      <>
        <span className="node-words">
          <b>
            {crowd.count} × {crowd.kind}
          </b>
          <small className="crowd-counts">
            {crowd.counts.map(({ health, count }) => (
              <span key={health}>
                <HealthMark status={health} size={12} /> {count} {health}
              </span>
            ))}
          </small>
        </span>
        <Icon name="down" />
      </>
    );
  }
  return item ? <ItemBody item={item} now={now} /> : null;
}

function ItemBody({ item, now }: { item: TreeItem; now: number }) {
  const facts = factsOf(item);
  const words = [item.kind, item.health && item.health !== 'Healthy' ? item.health : '']
    .filter(Boolean)
    .join(' · ');
  return (
    <>
      {item.health ? <HealthMark status={item.health} /> : <span className="no-mark" />}
      <span className="node-words">
        <b className="cut">{item.name}</b>
        <small className="cut">
          {words}
          {item.health === 'Healthy' && <span className="unseen"> Healthy</span>}
          {facts.map(({ text, kind }) => (
            <span key={text} className={`node-fact ${kind}`}>
              {text}
            </span>
          ))}
        </small>
      </span>
      <span className="node-side">
        <small>{item.createdAt === undefined ? '' : shortAge(item.createdAt, now)}</small>
        {item.sync === 'OutOfSync' && (
          <span title="OutOfSync">
            <SyncMark status="OutOfSync" size={14} />
            <span className="unseen">OutOfSync</span>
          </span>
        )}
      </span>
    </>
  );
}
