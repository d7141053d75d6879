import './application.css';

/** A message that is shown shortened to its cause, as the program wrote it, folded until a user opens it. */
export function WholeMessage({ text }: { text: string }) {
  return (
    <details className="whole-message">
      <summary>The whole message</summary>
      <pre>{text}</pre>
    </details>
  );
}
