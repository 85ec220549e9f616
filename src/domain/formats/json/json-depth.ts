/** How deep a JSON text nests, found before it is parsed. */

/** Whether arrays and objects nest deeper than so many levels; the text need not be valid JSON. */
export function nestsDeeperThan(text: string, levels: number): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (inText) {
      if (code === 0x5c) at += 1;
      else if (code === 0x22) inText = false;
    } else if (code === 0x22) inText = true;
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > levels) return true;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return false;
}
