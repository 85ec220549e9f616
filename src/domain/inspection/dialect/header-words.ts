/** Words that name columns in the files of shops. */

const WORDS = new Set(
  (
    'sku id nr no. name title titel bezeichnung beschreibung description preis price prix precio prezzo prijs cena ' +
    'artikel artikelnummer artikelnr article item produkt product produit producto prodotto kategorie category catégorie ' +
    'categoría categoria kategoria marke brand marque marca merk hersteller manufacturer farbe color colour couleur kleur ' +
    'größe size taille talla maat rozmiar gewicht weight poids peso waga bestand stock quantity menge qty ean gtin upc ' +
    'barcode image bild bilder url link aktiv active status type typ handle vendor tags variant nazwa opis nom nombre nome naam ' +
    'código codigo code référence reference referencia ref model modell datum date fecha data erstellt 商品名 商品番号 価格 在庫 ' +
    'カテゴリ 色 サイズ 名称 价格 库存 名稱 價格 庫存 상품명 가격 재고 fiyat stok kategori τιμή κατηγορία kaina артикул название цена ' +
    'категория'
  ).split(' '),
);

/** How many cells have a word that names columns. */
export function knownHeaderWords(cells: readonly string[]): number {
  return cells.filter((cell) =>
    cell
      .toLowerCase()
      .split(/[^\p{L}\p{N}.]+/u)
      .some((word) => WORDS.has(word)),
  ).length;
}
