import { memo, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { PodLogLine } from '../data/use-logs.ts';
import { chunksOf, type LogChoice, levelOf, lineTime, unfolded } from '../shape/logs.ts';

const lineHeight = 18;
const near = '800px 0px'; // what is so close to the view is drawn before it is scrolled into it

/**
 * All lines that are kept; only those in or near the view are drawn. The view stays at the end while the user has not
 * scrolled away from it.
 */
export function LogLines({
  lines,
  choice,
  manyPods,
}: {
  lines: readonly PodLogLine[];
  choice: LogChoice;
  manyPods: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const stay = useEffectEvent(() => {
    const element = box.current;
    if (element && isAtEnd.current && choice.follow) element.scrollTop = element.scrollHeight;
  });
  useEffect(() => {
    const sizes = new ResizeObserver(() => stay()); // lines were added, or drawn with another height than estimated
    if (content.current) sizes.observe(content.current);
    return () => sizes.disconnect();
  }, []);
  return (
    <div
      ref={box}
      className={choice.wrap ? 'log-lines wrapped' : 'log-lines'}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: long logs are scrolled by keyboard, too
      tabIndex={0}
      role="log"
      aria-label="Log lines"
      aria-live="off"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
      }}
    >
      <div ref={content}>
        {chunksOf(lines).map(({ id, lines: some }) => (
          <Chunk key={id} lines={some} times={choice.times} pod={manyPods} root={box} />
        ))}
      </div>
    </div>
  );
}

type ChunkProps = {
  lines: readonly PodLogLine[];
  times: boolean;
  pod: boolean;
  root: RefObject<HTMLElement | null>;
};

/** Some lines; away from the view they are one empty box of their height. */
function Chunk({ lines, times, pod, root }: ChunkProps) {
  const box = useRef<HTMLDivElement>(null);
  const height = useRef<number>(undefined);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry) return;
        if (!entry.isIntersecting && element.childElementCount > 0) height.current = element.offsetHeight;
        setNear(entry.isIntersecting);
      },
      { root: root.current, rootMargin: near },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [root]);
  return (
    <div ref={box} style={isNear ? undefined : { height: height.current ?? lines.length * lineHeight }}>
      {isNear && lines.map((line) => <LogRow key={line.id} line={line} times={times} pod={pod} />)}
    </div>
  );
}

const LogRow = memo(function LogRow({
  line,
  times,
  pod,
}: {
  line: PodLogLine;
  times: boolean;
  pod: boolean;
}) {
  const json = unfolded(line.text);
  const level = levelOf(line.text);
  return (
    <div className={level ? `log-line tone-${level}` : 'log-line'}>
      {times && <span className="faint">{lineTime(line.time)} </span>}
      {pod && <span className="log-pod">{line.pod} </span>}
      {json ? (
        <details>
          <summary>{line.text}</summary>
          <pre>{json}</pre>
        </details>
      ) : (
        line.text
      )}
    </div>
  );
});
