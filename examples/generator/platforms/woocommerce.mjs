/** The product CSV of WooCommerce, as its exporter writes it: simple and variable products, and variations after these. */
import { HTML, INHERITED, importBody, tableText } from './table.mjs';

const ATTRIBUTE = ['name', 'value(s)', 'visible', 'global'];
const HEADER = [
  ...['ID', 'Type', 'SKU', 'GTIN, UPC, EAN, or ISBN', 'Name', 'Published', 'Is featured?', 'Visibility in catalog'],
  ...['Short description', 'Description', 'Date sale price starts', 'Date sale price ends', 'Tax status', 'Tax class'],
  ...['In stock?', 'Stock', 'Low stock amount', 'Backorders allowed?', 'Sold individually?', 'Weight (kg)'],
  ...['Length (cm)', 'Width (cm)', 'Height (cm)', 'Allow customer reviews?', 'Purchase note', 'Sale price'],
  ...['Regular price', 'Categories', 'Tags', 'Shipping class', 'Images', 'Download limit', 'Download expiry days'],
  ...['Parent', 'Grouped products', 'Upsells', 'Cross-sells', 'External URL', 'Button text', 'Position'],
  ...[1, 2].flatMap((n) => ATTRIBUTE.map((part) => `Attribute ${n} ${part}`)),
];

export function wooCommerceFiles(goods) {
  let id = 40;
  const rows = goods.flatMap((good) => {
    const all = Object.keys(good.options).length === 0 ? [simple(good)] : [variable(good), ...variations(good)];
    return all.map((row) => ({ ID: id++, ...row }));
  });
  const paths = goods.map(({ path }) => path.join('->'));
  return {
    'woocommerce.csv': tableText(HEADER, rows),
    'woocommerce.import.json': importBody('woocommerce', ATTRIBUTES, [...paths, 'Variants']),
  };
}

const common = {
  ...{ 'Is featured?': 0, 'Visibility in catalog': 'visible', 'Tax status': 'taxable', 'In stock?': 1 },
  ...{ 'Backorders allowed?': 0, 'Sold individually?': 0, 'Allow customer reviews?': 1, Position: 0 },
};

function product(good) {
  return {
    ...common,
    SKU: good.code,
    Name: good.title,
    Published: good.active ? 1 : -1,
    'Short description': `<p>${good.title}</p>`,
    Description: good.html,
    'Weight (kg)': good.grams / 1_000,
    ...{ 'Length (cm)': 30, 'Width (cm)': 20, 'Height (cm)': good.grams > 1_000 ? 15.5 : 5 },
    // A product may be in several categories.
    Categories: [good.path.join(' > '), ...(good.tags.includes('new') ? ['New arrivals'] : [])].join(', '),
    Tags: good.tags.join(', '),
    Images: good.images.join(', '),
  };
}

function simple(good) {
  const [{ barcode, stock, price }] = good.variants;
  const sale = good.compareAt === null ? {} : { 'Sale price': price };
  const regular = good.compareAt ?? price;
  return {
    ...{ Type: 'simple', ...product(good), 'GTIN, UPC, EAN, or ISBN': barcode, Stock: stock },
    ...{ ...sale, 'Regular price': regular },
  };
}

function variable(good) {
  const attributes = Object.entries(good.options).map(([name, values]) => [name, values.join(', ')]);
  return { Type: 'variable', ...product(good), ...attributeCells(attributes) };
}

function variations(good) {
  return good.variants.map(({ sku, values, price, stock, barcode }, index) => ({
    ...common,
    Type: 'variation',
    SKU: sku,
    'GTIN, UPC, EAN, or ISBN': barcode,
    Name: `${good.title} - ${Object.values(values).join(', ')}`,
    Published: 1,
    Stock: stock,
    'Regular price': price,
    Parent: good.code,
    Position: index + 1,
    ...attributeCells(Object.entries(values)),
  }));
}

function attributeCells(attributes) {
  const cells = attributes.flatMap(([name, values], index) =>
    [name, values, 1, 1].map((cell, part) => [`Attribute ${index + 1} ${ATTRIBUTE[part]}`, cell]),
  );
  return Object.fromEntries(cells);
}

const ATTRIBUTES = {
  'Product Type': 'TEXT',
  Title: INHERITED,
  Active: 'BOOLEAN',
  'Short Description': HTML,
  Description: HTML,
  Price: 'DECIMAL',
  'Sale Price': 'DECIMAL',
  Stock: 'INTEGER',
  'Weight in kg': 'DECIMAL',
  'Length in cm': 'DECIMAL',
  'Width in cm': 'DECIMAL',
  'Height in cm': 'DECIMAL',
  Barcode: 'TEXT',
  Tags: 'TEXT',
  Images: 'TEXT',
  'Option 1 Name': 'TEXT',
  'Option 1': 'TEXT',
  'Option 2 Name': 'TEXT',
  'Option 2': 'TEXT',
};
