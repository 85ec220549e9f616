/** `longshore categories tree` and `longshore attributes list`. */
import type { Attribute, CategoryTree } from '@longshore/client';
import { type Command, Option } from 'commander';
import { type CommonOptions, clientOf, withAccess } from '../access.js';
import { allPages } from '../all-pages.js';
import { print, printJson, printTable, style } from '../terminal.js';

const PAGE = 100;

export function addCatalog(program: Command): void {
  const categories = program
    .command('categories')
    .description('look at categories')
    .addHelpText('after', '\nExamples:\n  longshore categories tree');
  withAccess(categories.command('tree').description('the trees of categories, with node ids'))
    .addOption(new Option('--type <type>', 'one kind of tree').choices(['PRIMARY', 'ALTERNATE']))
    .addHelpText('after', '\nExamples:\n  longshore categories tree\n  longshore categories tree --type ALTERNATE')
    .action(treeCommand);
  const attributes = program
    .command('attributes')
    .description('look at attributes')
    .addHelpText('after', '\nExamples:\n  longshore attributes list');
  withAccess(attributes.command('list').description('what items can have values of, and which have a role'))
    .addHelpText(
      'after',
      "\nExamples:\n  longshore attributes list\n  longshore attributes list --json | jq -r '.[].name'",
    )
    .action(attributesCommand);
}

async function treeCommand({
  type,
  ...options
}: CommonOptions & { readonly type?: CategoryTree['type'] }): Promise<void> {
  const api = clientOf(options);
  const query = type === undefined ? {} : { type };
  const trees = await allPages((offset) => api.getCategoryTree({ ...query, offset, limit: PAGE }));
  if (options.json) return printJson(trees);
  if (trees.length === 0) return print('There are no categories.');
  for (const tree of trees) {
    printNode(tree, '', '');
  }
}

function printNode(node: CategoryTree, before: string, below: string): void {
  const { dim } = style(process.stdout);
  const notes = [
    `node ${node.nodeId}`,
    ...(node.type === 'ALTERNATE' && before === '' ? ['alternate'] : []),
    ...(node.active ? [] : ['inactive']),
  ];
  print(`${before}${node.name}  ${dim(notes.join(', '))}`);
  node.children.forEach((child, index) => {
    const isLast = index === node.children.length - 1;
    printNode(child, `${below}${isLast ? '└─ ' : '├─ '}`, `${below}${isLast ? '   ' : '│  '}`);
  });
}

async function attributesCommand(options: CommonOptions): Promise<void> {
  const api = clientOf(options);
  const attributes = await allPages((offset) => api.listAttributes({ offset, limit: PAGE }));
  const mappings = await allPages((offset) => api.getAttributeMapping({ offset, limit: PAGE }));
  if (options.json) return printJson(attributes);
  if (attributes.length === 0) return print('There are no attributes.');
  const roles = new Map(mappings.map(({ attributeId, mapping }) => [attributeId, mapping]));
  printTable(
    ['NAME', 'TYPE', 'ROLE', 'RULES'],
    attributes.map((attribute) => [attribute.name, attribute.type, roles.get(attribute.id) ?? '', rulesOf(attribute)]),
  );
}

function rulesOf({ validation, options, format }: Attribute): string {
  const rules = Object.entries(validation).flatMap(([name, value]) => {
    if (value === null || value === false) return [];
    return value === true ? [name] : [`${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`];
  });
  if (format !== null) rules.push(`format ${format}`);
  if (options !== null) rules.push(`options ${options.join(' | ')}`);
  return rules.join(', ');
}
