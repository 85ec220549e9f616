/** A picture is a link with the name of its file: the pages ask no other host for anything. Only addresses of the web become links. */
import { Icon } from '../../components/icon.js';

interface ImageLinkProps {
  readonly value: unknown;
}

export function ImageLink({ value }: ImageLinkProps) {
  const text = String(value);
  if (!isWebAddress(text)) return <bdi>{text}</bdi>;
  const picture = pictureIn(text);
  return (
    <a href={text} target="_blank" rel="noopener noreferrer" title={text}>
      {picture === undefined ? (
        <bdi>{text}</bdi>
      ) : (
        <>
          <Icon name="image" /> <bdi>{picture}</bdi>
        </>
      )}
    </a>
  );
}

/** `javascript:` and the like are never a link. */
export function isWebAddress(text: string): boolean {
  try {
    return ['http:', 'https:'].includes(new URL(text).protocol) && text.length < 2_000;
  } catch {
    return false;
  }
}

/** The name of the file, and whose server it is on; undefined: the address says nothing of a picture. */
function pictureIn(address: string): string | undefined {
  const { pathname, host } = new URL(address);
  const file = pathname.split('/').at(-1) ?? '';
  if (!/\.(?:avif|gif|jpe?g|png|svg|tiff?|webp)$/i.test(file)) return undefined;
  return `${decoded(file)} (${host})`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
