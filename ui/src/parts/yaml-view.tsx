import './code.css';
import { CopyButton } from '../kit/copy-button.tsx';

/** YAML with its keys highlighted. */
export function YamlView({ text, label }: { text: string; label: string }) {
  return (
    <div className="code-block">
      <div className="code-copy">
        <CopyButton text={text} label={`Copy ${label}`} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long code is scrolled by keyboard, too */}
      <pre tabIndex={0}>
        {text
          .replace(/\n$/, '')
          .split('\n')
          .map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its index
            <span key={at} className="code-line">
              <YamlLine text={line} />
            </span>
          ))}
      </pre>
    </div>
  );
}

const keyed = /^(\s*(?:- )*)("[^"]*"|[^\s"'#][^:]*?)(:)(\s.*|)$/;

export function YamlLine({ text }: { text: string }) {
  const match = keyed.exec(text);
  if (!match) return <>{text || ' '}</>;
  const [, lead, key, colon, rest] = match;
  return (
    <>
      {lead}
      <span className="yaml-key">{key}</span>
      <span className="faint">{colon}</span>
      {rest}
    </>
  );
}
