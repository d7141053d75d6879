import './applications.css';
import type { ReactNode } from 'react';
import { Link } from '../kit/link.tsx';
import { useAddress, withQuery } from '../kit/location.ts';
import type { Segment, Strip } from '../shape/fleet.ts';
import { type Tone, toneOfHealth, toneOfSync } from '../shape/state.ts';
import { HealthMark, SyncMark } from './mark.tsx';

/** Two stacked bars, by health and by sync. Each segment, and each word of the legend, is a filter. */
export function SummaryStrip({ strip }: { strip: Strip }) {
  return (
    <div className="strip">
      <StripBar
        name="health"
        title="Health"
        segments={strip.health}
        tone={toneOfHealth}
        mark={(code) => <HealthMark status={code} size={14} />}
      />
      <StripBar
        name="sync"
        title="Sync"
        segments={strip.sync}
        tone={toneOfSync}
        mark={(code) => <SyncMark status={code} size={14} />}
      />
    </div>
  );
}

function StripBar<Code extends string>({
  name,
  title,
  segments,
  tone,
  mark,
}: {
  name: string;
  title: string;
  segments: readonly Segment<Code>[];
  tone(code: Code): Tone;
  mark(code: Code): ReactNode;
}) {
  const address = useAddress();
  const chosen = new Set((address.query.get(name) ?? '').split(',').filter((one) => one !== ''));
  const to = (code: Code) => withQuery({ [name]: toggled(chosen, code) }, address);
  return (
    <section className={chosen.size > 0 ? 'strip-part chosen' : 'strip-part'} aria-label={`By ${name}`}>
      <h2>{title}</h2>
      <div className="strip-bar">
        {segments.map(({ code, count }) => (
          <Link
            key={code}
            to={to(code)}
            how="replace"
            className={`tone-${tone(code)}`}
            style={{ flexGrow: count }}
            aria-label={`${code}: ${count}`}
            aria-current={chosen.has(code) || undefined}
            title={`${code}: ${count}`}
            tabIndex={-1}
          />
        ))}
      </div>
      <ul className="strip-legend">
        {segments.map(({ code, count }) => (
          <li key={code}>
            <Link to={to(code)} how="replace" aria-current={chosen.has(code) || undefined}>
              {mark(code)}
              {code}
              <b>{count}</b>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function toggled(chosen: ReadonlySet<string>, code: string): string {
  const next = new Set(chosen);
  if (!next.delete(code)) next.add(code);
  return [...next].join(',');
}
