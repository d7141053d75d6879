import './sentence.css';
import { Link } from '../kit/link.tsx';
import { applicationsPath, type ObjectName, viewPath } from '../shape/address.ts';
import type { Span, Target } from '../shape/span.ts';
import { toneOfHealth, toneOfSync } from '../shape/state.ts';
import { HealthMark, SyncMark } from './mark.tsx';

/** A sentence made by `shape`, drawn: every piece that names something leads to it. */
export function Sentence({ spans, place }: { spans: readonly Span[]; place?: ObjectName }) {
  return (
    <h1 className="sentence">
      {spans.map((span, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: words are identified by their index in the sentence
        <Piece key={at} span={span} place={place} />
      ))}
    </h1>
  );
}

function Piece({ span, place }: { span: Span; place: ObjectName | undefined }) {
  const inner = (
    <>
      {span.health && <HealthMark status={span.health} size={18} />}
      {span.sync && <SyncMark status={span.sync} size={18} />}
      {span.text.trim().replaceAll('auto-sync', 'auto\u2011sync')}
    </>
  );
  const before = /^\s/.test(span.text) ? ' ' : '';
  const after = /\s$/.test(span.text) ? ' ' : '';
  const to = span.target && addressOf(span.target, place);
  const spanClass = classOf(span);
  return (
    <>
      {before}
      {to ? (
        <Link to={to} className={spanClass}>
          {inner}
        </Link>
      ) : (
        <span className={spanClass || undefined}>{inner}</span>
      )}
      {after}
    </>
  );
}

const short = 32; // a name of this length is better on one line than broken at its hyphen

function classOf({ text, target, health, sync, isCode, isStrong, isQuote }: Span): string {
  const tone = health ? toneOfHealth(health) : sync ? toneOfSync(sync) : undefined;
  return [
    tone && `standing tone-${tone}`,
    isCode && 'code',
    isStrong && 'strong',
    isQuote && 'quote',
    target && text.length < short && 'whole',
  ]
    .filter(Boolean)
    .join(' ');
}

function addressOf(target: Target, place: ObjectName | undefined): string | undefined {
  if (target.to === 'filter') return `${applicationsPath}?${target.query}`;
  if (target.to === 'address') return target.address;
  if (!place) return undefined;
  return target.to === 'view'
    ? viewPath(place, target.view)
    : viewPath(place, target.view ?? 'tree', target.key);
}
