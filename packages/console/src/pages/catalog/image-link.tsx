/** A picture is a link: the pages ask no other host for anything. Only addresses of the web become links. */
export function ImageLink({ value }: { readonly value: unknown }) {
  const text = String(value);
  if (!isWebAddress(text)) return <bdi>{text}</bdi>;
  return (
    <a href={text} target="_blank" rel="noopener noreferrer">
      <bdi>{text}</bdi>
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
