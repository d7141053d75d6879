import { memo } from 'react';
import { Icon } from '../kit/icon.tsx';
import { factsIn, hasRoomFor, titleIn } from '../shape/box-width.ts';
import type { TreeItem } from '../shape/resource-forest.ts';
import { factsOf } from '../shape/resource-line.ts';
import { shortAge } from '../shape/time.ts';
import type { TreeBox } from '../shape/tree-fold.ts';
import type { PositionedBox } from '../shape/tree-layout.ts';
import { HealthMark, SyncMark } from './mark.tsx';

type NodeProps = {
  placed: PositionedBox<TreeBox>;
  height: number;
  isSelected: boolean;
  /** It matches the search, or is the match that is being shown. */
  match: 'found' | 'current' | undefined;
  now: number;
  onChoose(box: TreeBox): void;
  onFold(box: TreeBox): void;
};

/** One box: mark, name, age, and a line of what matters. */
export const TreeNode = memo(function TreeNode({
  placed,
  height,
  isSelected,
  match,
  now,
  onChoose,
  onFold,
}: NodeProps) {
  const { box, x, y, width, level, place, siblings } = placed;
  const classes = [
    box.application && 'root',
    box.crowd && 'crowd',
    match && 'found',
    match === 'current' && 'current',
  ];
  const hasInside = box.item !== undefined && box.item.children.length > 0;
  return (
    <div className="node-place" style={{ translate: `${x}px ${y}px`, width, height }}>
      <button
        type="button"
        role="treeitem"
        data-box={box.id}
        data-key={box.item?.key}
        className={['node', ...classes].filter(Boolean).join(' ')}
        aria-level={level + 1}
        aria-posinset={place}
        aria-setsize={siblings}
        aria-selected={isSelected}
        aria-expanded={hasInside ? !box.hidden : undefined}
        tabIndex={isSelected || level === 0 ? 0 : -1}
        onClick={() => onChoose(box)}
      >
        <NodeBody box={box} now={now} width={width} />
      </button>
      {hasInside && (
        // for pointer users; on the keyboard + and - do it, and aria-expanded reports the state
        <span className="fold-button" aria-hidden="true" onClick={() => onFold(box)}>
          {box.hidden ? (
            <>
              {box.hidden.worst && <HealthMark status={box.hidden.worst} size={12} />}
              {box.hidden.count}
            </>
          ) : (
            <Icon name="minus" size={10} />
          )}
        </span>
      )}
    </div>
  );
});

type BodyProps = { box: TreeBox; now: number; width: number };

function NodeBody({ box, now, width }: BodyProps) {
  const { application, crowd, item } = box;
  if (application) {
    return (
      <>
        <HealthMark status={application.health} size={18} />
        <span className="node-words">
          <b className="cut">{application.name}</b>
          <RootStates application={application} width={width} />
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
            {crowd.counts.map(({ health, count }, at) => (
              <span key={health} title={`${count} ${health}`}>
                <HealthMark status={health} size={12} /> {count}
                <span className={at > 0 ? 'unseen' : undefined}> {health}</span>
              </span>
            ))}
          </small>
        </span>
        <Icon name="down" />
      </>
    );
  }
  return item ? <ItemBody item={item} owner={box.owner} now={now} width={width} /> : null;
}

type RootProps = { application: NonNullable<TreeBox['application']>; width: number };

/** Both states in words; where there is no room for them, a word and a mark instead of half a word. */
function RootStates({ application: { health, sync }, width }: RootProps) {
  const words = [...new Set([health, sync])].join(' · ');
  if (hasRoomFor(width, words)) return <small className="cut">{words}</small>;
  return (
    <span className="node-title" title={words}>
      <small className="cut">{health}</small>
      <span className="node-sync">
        <SyncMark status={sync} size={14} />
        <span className="unseen">{sync}</span>
      </span>
    </span>
  );
}

type ItemProps = { item: TreeItem; owner: string | undefined; now: number; width: number };

function ItemBody({ item, owner, now, width }: ItemProps) {
  const age = item.createdAt === undefined ? '' : shortAge(item.createdAt, now);
  const shown = titleIn(width, { name: item.name, age }, owner);
  const all = factsOf(item);
  const hasRoom = hasRoomFor(width - (item.sync === 'OutOfSync' ? 22 : 0), `${item.kind} · ${item.health}`);
  // a reason is more specific than the state, and half a word says less than the mark
  const isSaid = item.health === 'Healthy' || all[0]?.kind === 'trouble' || !hasRoom;
  const head = item.health && !isSaid ? `${item.kind} · ${item.health}` : item.kind;
  const facts = factsIn(width, { head, facts: all, hasSync: item.sync === 'OutOfSync' });
  return (
    <>
      {item.health ? <HealthMark status={item.health} /> : <span className="no-mark" />}
      <span className="node-words">
        <span className="node-title">
          {shown.name === item.name ? (
            <b className="cut">{item.name}</b>
          ) : (
            <b className="cut" title={item.name}>
              <span aria-hidden="true">{shown.name}</span>
              <span className="unseen">{item.name}</span>
            </b>
          )}{' '}
          <small className={shown.age ? undefined : 'unseen'}>{age}</small>
        </span>{' '}
        <span className="node-title">
          <small className="cut" title={[head, ...all.map(({ text }) => text)].join(' · ')}>
            {item.kind}
            {item.health && <span className={isSaid ? 'unseen' : undefined}> · {item.health}</span>}
            {facts.map(({ text, kind }) => (
              <span key={text} className={`node-fact ${kind}`}>
                {text}
              </span>
            ))}
          </small>{' '}
          {item.sync === 'OutOfSync' && (
            <span title="OutOfSync" className="node-sync">
              <SyncMark status="OutOfSync" size={14} />
              <span className="unseen">OutOfSync</span>
            </span>
          )}
        </span>
      </span>
    </>
  );
}
