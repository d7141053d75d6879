import type { Span } from '../shape/span.ts';
import { Sentence } from './sentence.tsx';

/** How a section of the settings begins: its state in a sentence, and below it what the section is for. */
export function SectionOpening({
  spans,
  title,
  note,
}: {
  /** Undefined: what it is made from is not loaded yet, or cannot be shown. */
  spans: readonly Span[] | undefined;
  /** Stands in place of the sentence. */
  title: string;
  note: string;
}) {
  return (
    <header className="section-intro">
      <Sentence spans={spans ?? [{ text: title }]} />
      <p className="faint">{note}</p>
    </header>
  );
}
