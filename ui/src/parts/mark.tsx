import './marks.css';
import type { HealthCode, SyncStatusCode } from '#base/model';
import { healthShapes, type MarkShape, syncShapes } from '../shape/mark-shapes.ts';
import { toneOfHealth, toneOfSync } from '../shape/state.ts';

function Drawing({ shape, tone, size }: { shape: MarkShape; tone: string; size: number }) {
  const { fill, line, cut, isDashed, turning } = shape;
  return (
    <svg
      className={`mark tone-${tone}`}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
      focusable="false"
    >
      {fill && <path d={fill} fill="currentColor" />}
      {line && <path d={line} className={`line${isDashed ? ' dashed' : ''}${turning ? ' pale' : ''}`} />}
      {turning && <path d={turning} className="turning" />}
      {cut && <path d={cut} className="cut-out" />}
    </svg>
  );
}

type MarkProps<Code> = { status: Code; size?: number };

/** Only the shape: for uses where the word stands beside it anyway. */
export const HealthMark = ({ status, size = 16 }: MarkProps<HealthCode>) => (
  <Drawing shape={healthShapes[status]} tone={toneOfHealth(status)} size={size} />
);

export const SyncMark = ({ status, size = 16 }: MarkProps<SyncStatusCode>) => (
  <Drawing shape={syncShapes[status]} tone={toneOfSync(status)} size={size} />
);

/** Shape, word and colour. */
export const HealthState = ({ status, size = 16 }: MarkProps<HealthCode>) => (
  <span className={`state tone-${toneOfHealth(status)}`}>
    <HealthMark status={status} size={size} />
    {status}
  </span>
);

export const SyncState = ({ status, size = 16 }: MarkProps<SyncStatusCode>) => (
  <span className={`state tone-${toneOfSync(status)}`}>
    <SyncMark status={status} size={size} />
    {status}
  </span>
);
