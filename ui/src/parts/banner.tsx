import { useState } from 'react';
import { useServerSettings } from '../data/use-session.ts';
import { Button } from '../kit/button.tsx';
import { isWebAddress } from '../shape/resource-forest.ts';

const key = 'banner'; // the text that the user closed last

/** The announcement of this installation (`ui.bannercontent`), where its settings put it. */
export function Banner({ at }: { at: 'top' | 'bottom' }) {
  const { data } = useServerSettings();
  const [closed, setClosed] = useState(() => localStorage.getItem(key));
  const {
    uiBannerContent: text,
    uiBannerURL: url = '',
    uiBannerPermanent,
    uiBannerPosition = 'top',
  } = data ?? {};
  const isHere = uiBannerPosition === 'both' || uiBannerPosition === at;
  if (!text || !isHere || (closed === text && !uiBannerPermanent)) return null;
  const close = () => {
    localStorage.setItem(key, text);
    setClosed(text);
  };
  return (
    <aside className="banner" aria-label="Announcement">
      {isWebAddress(url) ? (
        <a href={url} target="_blank" rel="noreferrer">
          {text}
        </a>
      ) : (
        <span>{text}</span>
      )}
      {!uiBannerPermanent && (
        <Button variant="quiet" icon="close" aria-label="Close the announcement" onClick={close} />
      )}
    </aside>
  );
}
