/**
 * Finds the imports and exports of a TypeScript file. TypeScript 7 is a native program without a stable API for
 * JavaScript, so this file splits the text into tokens itself. It recognizes comments, strings, templates and regular
 * expressions, so that their content is not mistaken for an import.
 */

/** After one of these words a slash begins a regular expression; after any other word it is a division. */
const BEFORE_EXPRESSION = new Set(
  'return typeof instanceof in of new delete void throw case do else await yield'.split(' '),
);
const SPACE = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const WORD = /#?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER = /\.?\d(?:[eE][+-]|[\w.])*/y;
const STRING = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const TEMPLATE_PART = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;
const BACKTICK = /`/y;
const MARK = /=>|\.\.\.|[\s\S]/y;
const OPENING = new Set(['(', '[', '{']);
const CLOSING = new Set([')', ']', '}']);

/**
 * @param text of the file
 * @returns `{ kind, text, depth }` for each token. `depth` counts the brackets around it; a bracket has its outer depth
 */
function tokenize(text) {
  const tokens = [];
  // `${` of a template is a bracket; after its closing brace the template continues.
  const brackets = [];
  let at = 0;
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  const add = (kind, found) => {
    tokens.push({ kind, text: found, depth: brackets.length });
    return true;
  };
  const addWhere = (kind, pattern, strip = 0) => {
    const found = take(pattern);
    return found !== undefined && add(kind, found.slice(strip, found.length - strip));
  };
  const addTemplatePart = () => {
    add('template', take(TEMPLATE_PART));
    if (text[at] === '`') at += 1;
    else {
      at += 2;
      brackets.push('${');
    }
  };
  const addMark = () => {
    const mark = take(MARK);
    const closed = CLOSING.has(mark) ? brackets.pop() : undefined;
    if (closed === '${') addTemplatePart();
    else add('mark', mark);
    if (OPENING.has(mark)) brackets.push(mark);
  };
  for (;;) {
    while (take(SPACE) !== undefined);
    if (at >= text.length) return tokens;
    if (addWhere('word', WORD) || addWhere('number', NUMBER) || addWhere('string', STRING, 1)) continue;
    if (take(BACKTICK) !== undefined) addTemplatePart();
    else if (!(beginsExpression(tokens.at(-1)) && addWhere('regex', REGEX))) addMark();
  }
}

function beginsExpression(before) {
  if (before === undefined) return true;
  if (before.kind === 'word') return BEFORE_EXPRESSION.has(before.text);
  return before.kind === 'mark' && before.text !== ')' && before.text !== ']' && before.text !== '}';
}

/**
 * @returns
 * - `imports`: `{ specifier, isValue, names }`. `names` maps each local name of a value to the imported name;
 *   `specifier` is null if it is computed.
 * - `exports`: `{ name, members }`. `members` counts the functions of an exported object; 0 if it is not an object.
 * - `reexported`: the specifiers of `export *`
 * - `called`: the names that statements of the top level call
 */
export function scanModule(text) {
  const tokens = tokenize(text);
  const found = { imports: [], exports: [], reexported: [], called: [] };
  const localFunctions = functionNames(tokens);
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    const before = tokens[index - 1]?.text;
    if (token.kind !== 'word' || before === '.') continue;
    if (token.text === 'import') scanImport(tokens, index, found.imports);
    else if (token.depth > 0) continue;
    else if (token.text === 'export') scanExport(tokens, index, found, localFunctions);
    else if (isTopLevelCall(tokens, index)) found.called.push(token.text);
  }
  return found;
}

/** Finds `name(` and `name.method(` at the beginning of a statement, also after `await`. */
function isTopLevelCall(tokens, index) {
  const before = tokens[index - 1];
  const isStart = before === undefined || before.text === ';' || before.text === '}' || before.text === 'await';
  if (!isStart) return false;
  let next = index + 1;
  while (tokens[next]?.text === '.' && tokens[next + 1]?.kind === 'word') next += 2;
  return tokens[next]?.text === '(' && !['if', 'for', 'while', 'switch', 'catch'].includes(tokens[index].text);
}

function scanImport(tokens, index, imports) {
  const next = tokens[index + 1];
  if (next === undefined || next.text === '.' || next.text === ':') return;
  if (next.text === '(') {
    const isLiteral = tokens[index + 2]?.kind === 'string' && [')', ','].includes(tokens[index + 3]?.text);
    imports.push({ specifier: isLiteral ? tokens[index + 2].text : null, isValue: true, names: new Map() });
  } else if (next.kind === 'string') {
    imports.push({ specifier: next.text, isValue: true, names: new Map() });
  } else if (tokens[index].depth === 0) {
    const { specifier, clause } = readClause(tokens, index + 1);
    const isType = clause[0]?.text === 'type' && clause[1]?.text !== ',' && clause.length > 1;
    imports.push({ specifier, isValue: !isType, names: isType ? new Map() : localNames(clause) });
  }
}

/** @returns the tokens between `import` or `export` and `from`, and the string behind it */
function readClause(tokens, from) {
  const clause = [];
  for (let index = from; index < tokens.length; index++) {
    if (tokens[index].text === 'from' && tokens[index + 1]?.kind === 'string') {
      return { clause, specifier: tokens[index + 1].text };
    }
    clause.push(tokens[index]);
  }
  return { clause, specifier: null };
}

/** For `a, { b, type c, d as e }` or `* as f`: the local names of values, each with the imported name. */
function localNames(clause) {
  const names = new Map();
  for (const part of parts(clause.filter(({ text }) => text !== '{' && text !== '}'))) {
    const words = part.map(({ text }) => text);
    const isType = words[0] === 'type' && words.length > 1 && words[1] !== 'as';
    if (!isType && words.length > 0) names.set(words.at(-1), words[0]);
  }
  return names;
}

/** Splits at commas. */
function parts(tokens) {
  const all = [[]];
  for (const token of tokens) {
    if (token.text === ',') all.push([]);
    else all.at(-1).push(token);
  }
  return all.filter((part) => part.length > 0);
}

function scanExport(tokens, index, found, localFunctions) {
  let next = index + 1;
  const word = (text) => tokens[next]?.text === text;
  const add = (name, members = 0) => found.exports.push({ name, members });
  if (word('type') && ['{', '*'].includes(tokens[next + 1]?.text)) {
    next += 1;
    if (word('{')) for (const name of namesInBraces(tokens, next)) add(name);
    else found.reexported.push(readClause(tokens, next).specifier);
    return;
  }
  if (word('*')) {
    const { specifier, clause } = readClause(tokens, next);
    found.imports.push({ specifier, isValue: true, names: new Map() });
    if (clause.length === 1) found.reexported.push(specifier);
    else add(clause.at(-1).text);
  } else if (word('{')) {
    for (const name of namesInBraces(tokens, next)) add(name);
    const end = closingOf(tokens, next);
    if (tokens[end + 1]?.text === 'from') {
      found.imports.push({ specifier: tokens[end + 2].text, isValue: true, names: new Map() });
    }
  } else if (word('default')) {
    add('default', membersOf(tokens, next + 1, localFunctions));
  } else {
    while (['declare', 'abstract', 'async'].includes(tokens[next]?.text)) next += 1;
    const isEnum = word('const') && tokens[next + 1]?.text === 'enum';
    if (isEnum) next += 1;
    const isVariable = !isEnum && ['const', 'let', 'var'].includes(tokens[next]?.text);
    next += 1;
    if (word('*')) next += 1;
    if (isVariable) scanVariables(tokens, next, add, localFunctions);
    else if (tokens[next]?.kind === 'word') add(tokens[next].text);
  }
}

/** Reads `export const a = …, b = …` and `export const { a, b: c } = …`. */
function scanVariables(tokens, from, add, localFunctions) {
  if (tokens[from].text === '{' || tokens[from].text === '[') {
    for (const part of parts(tokens.slice(from + 1, closingOf(tokens, from)))) {
      const colon = part.findIndex(({ text }) => text === ':');
      const name = part.slice(colon + 1).find(({ kind }) => kind === 'word');
      if (name !== undefined) add(name.text);
    }
    return;
  }
  for (let index = from; index < tokens.length && tokens[index].kind === 'word'; index++) {
    const name = tokens[index].text;
    while (index < tokens.length && !(tokens[index].depth === 0 && ['=', ';'].includes(tokens[index].text))) index++;
    add(name, tokens[index]?.text === '=' ? membersOf(tokens, index + 1, localFunctions) : 0);
    while (index < tokens.length && !(tokens[index].depth === 0 && [',', ';'].includes(tokens[index].text))) index++;
    if (tokens[index]?.text !== ',') return;
  }
}

/** The names of `{ a, type b, c as d }`. */
function namesInBraces(tokens, open) {
  return parts(tokens.slice(open + 1, closingOf(tokens, open))).map((part) => part.at(-1).text);
}

function closingOf(tokens, open) {
  const { depth } = tokens[open];
  for (let index = open + 1; index < tokens.length; index++) {
    if (tokens[index].depth === depth && CLOSING.has(tokens[index].text)) return index;
  }
  return tokens.length;
}

/** How many functions an object literal has as members. Objects that are passed to a function do not count. */
function membersOf(tokens, from, localFunctions) {
  let open = from;
  if (tokens[open]?.text === 'Object' && tokens[open + 2]?.text === 'freeze') open += 4;
  if (tokens[open]?.text !== '{') return 0;
  const inside = tokens.slice(open + 1, closingOf(tokens, open));
  const depth = tokens[open].depth + 1;
  let count = 0;
  let member = [];
  for (const token of [...inside, { text: ',', depth }]) {
    if (token.depth > depth || token.text !== ',') member.push(token);
    else {
      if (isFunctionMember(member, depth, localFunctions)) count++;
      member = [];
    }
  }
  return count;
}

/** Whether a member is `name(…) {…}`, `name: (…) =>`, `name: x =>`, `name: function`, or the name of a function. */
function isFunctionMember(member, depth, localFunctions) {
  const [first] = member;
  if (first === undefined || first.text === '...') return false;
  const texts = member.filter((token) => token.depth === depth).map(({ text }) => text);
  const colon = texts.indexOf(':');
  const open = texts.indexOf('(');
  if (open >= 0 && (colon < 0 || open < colon)) return true;
  if (colon < 0) return localFunctions.has(first.text);
  const value = texts.slice(colon + 1);
  if (value.length === 1) return localFunctions.has(value[0]);
  return value.includes('=>') || value.includes('function');
}

/** The functions that this file declares at its top level, in either form. */
function functionNames(tokens) {
  const names = new Set();
  for (const [index, { text, depth }] of tokens.entries()) {
    if (depth > 0) continue;
    const after = tokens.slice(index + 1, index + 3);
    if (text === 'function') names.add(after.find(({ kind }) => kind === 'word')?.text);
    if (text === 'const' && after[1]?.text === '=' && isArrow(tokens, index + 3)) names.add(after[0].text);
  }
  return names;
}

/** Whether an expression is an arrow function: `async? (…) … =>` or `x =>`. */
function isArrow(tokens, from) {
  let index = tokens[from]?.text === 'async' ? from + 1 : from;
  if (tokens[index]?.text !== '(') return tokens[index + 1]?.text === '=>';
  index = closingOf(tokens, index) + 1;
  if (tokens[index]?.text === '=>') return true;
  if (tokens[index]?.text !== ':') return false;
  for (; index < tokens.length && !(tokens[index].depth === 0 && [';', '='].includes(tokens[index].text)); index++) {
    if (tokens[index].depth === 0 && tokens[index].text === '=>') return true;
  }
  return false;
}
