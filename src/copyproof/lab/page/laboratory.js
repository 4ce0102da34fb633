// The engine behind the page, where `copyproof lab` serves it; without it the page plays by itself.

export class Laboratory {
  static found() {
    return null;
  }
}
