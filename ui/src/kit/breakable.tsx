import { Fragment } from 'react';

/** An address or a version, which breaks behind its own marks where it has to: not in the middle of a word. */
export function Breakable({ text }: { text: string }) {
  return text.split(/(?<=[./:+@-])(?=\w)/).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
