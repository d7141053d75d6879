import { useEffect, useEffectEvent, useRef, useState } from 'react';

export type TerminalTarget = {
  /** Of the WebSocket, with the pod and the container in its query. */
  readonly url: string;
};

type TerminalMessage = { readonly operation?: string; readonly data?: string };

export type TerminalLine = {
  readonly state: 'connecting' | 'open' | 'ended';
  type(text: string): void;
  resize(size: { readonly rows: number; readonly columns: number }): void;
  /** Connects again. */
  again(): void;
};

/** A shell at the other end of a WebSocket; another address starts another one. */
export function useTerminal({ url }: TerminalTarget, onText: (text: string) => void): TerminalLine {
  const socket = useRef<WebSocket>(null);
  const size = useRef({ rows: 24, columns: 80 });
  const [state, setState] = useState<TerminalLine['state']>('connecting');
  const [attempt, setAttempt] = useState(0);
  const print = useEffectEvent(onText);
  const send = (message: object) => {
    if (socket.current?.readyState === WebSocket.OPEN) socket.current.send(JSON.stringify(message));
  };
  const sendSize = () => send({ operation: 'resize', rows: size.current.rows, cols: size.current.columns });
  const onOpen = useEffectEvent(sendSize);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt connects again
  useEffect(() => {
    const own = new WebSocket(url);
    socket.current = own;
    setState('connecting');
    own.addEventListener('open', () => {
      setState('open');
      onOpen();
    });
    own.addEventListener('close', () => setState('ended'));
    own.addEventListener('message', ({ data }) => {
      const { operation, data: text = '' } = JSON.parse(String(data)) as TerminalMessage;
      if (operation === 'stdout' && text !== reconnect) print(text);
    });
    return () => own.close();
  }, [url, attempt]);
  return {
    state,
    type: (data) => send({ operation: 'stdin', data }),
    resize: (wanted) => {
      size.current = wanted;
      sendSize();
    },
    again: () => setAttempt((before) => before + 1),
  };
}

/** The server's word for a session or a permission that has ended. */
const reconnect = '{"Code":1}';
