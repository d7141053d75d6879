import './code.css';
import { type DiffLine, type Hunk, hunksOf, pairsOf } from '../shape/line-diff.ts';
import { YamlLine } from './yaml-view.tsx';

const styles = { ' ': '', '-': ' gone', '+': ' come' };

/** Two texts compared, in one column or side by side; equal stretches are folded. */
export function DiffLines({ lines, mode }: { lines: readonly DiffLine[]; mode: 'inline' | 'split' }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard, too
    <div className="diff" tabIndex={0}>
      {hunksOf(lines).map((hunk, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a hunk is identified by its index
        <HunkLines key={at} hunk={hunk} mode={mode} />
      ))}
    </div>
  );
}

function HunkLines({ hunk, mode }: { hunk: Hunk; mode: 'inline' | 'split' }) {
  if ('folded' in hunk) return <p className="diff-fold">{hunk.folded} equal lines</p>;
  if (mode === 'split') {
    return pairsOf(hunk.lines).map(({ left, right }) => (
      <div key={`${left?.before} ${right?.after}`} className="diff-pair">
        <Side line={left} number={left?.before} />
        <Side line={right} number={right?.after} />
      </div>
    ));
  }
  return hunk.lines.map((line) => (
    <div key={`${line.before} ${line.after}`} className={`diff-line${styles[line.sign]}`}>
      <span>{line.before}</span>
      <span>{line.after}</span>
      <span>{line.sign}</span>
      <span>
        <YamlLine text={line.text} />
      </span>
    </div>
  ));
}

function Side({ line, number }: { line: DiffLine | undefined; number: number | undefined }) {
  return (
    <div className={`diff-side${line ? styles[line.sign] : ''}`}>
      <span>{number}</span>
      <span>{line?.sign}</span>
      <span>{line && <YamlLine text={line.text} />}</span>
    </div>
  );
}
