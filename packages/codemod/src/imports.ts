import { type ImportDeclaration, type SourceFile, SyntaxKind } from 'ts-morph'

export interface Export {
  readonly module: string
  readonly name: string
  /** It is a type, however it was imported. */
  readonly isType?: boolean
}

interface Import extends Export {
  readonly alias: string | undefined
  readonly isTypeOnly: boolean
}

/** Whether something is imported from a package, any of its subpaths included. */
export function importsFrom(file: SourceFile, scope: string): boolean {
  return file
    .getImportDeclarations()
    .some((declaration) => declaration.getModuleSpecifierValue().startsWith(scope))
}

/**
 * Replaces named imports, and the names in the file with them: those that stand under another name (`as`) keep that one. A declaration
 * that is left without names goes.
 *
 * @param find What takes the place of an import, or nothing if it stays
 */
export function replaceImports(file: SourceFile, find: (from: Export) => Export | undefined): void {
  for (const declaration of file.getImportDeclarations()) {
    const module = declaration.getModuleSpecifierValue()
    for (const specifier of declaration.getNamedImports()) {
      const to = find({ module, name: specifier.getName() })
      if (to === undefined) continue
      const alias = specifier.getAliasNode()?.getText()
      const isTypeOnly = to.isType === true || declaration.isTypeOnly() || specifier.isTypeOnly()
      if (to.name !== specifier.getName() && alias === undefined) {
        // Every use of it in this file. No types are needed, so nothing else has to be installed.
        specifier.getNameNode().asKindOrThrow(SyntaxKind.Identifier).rename(to.name)
      }
      specifier.remove()
      addImport(file, declaration, { ...to, alias, isTypeOnly })
    }
    const isEmpty = declaration.getNamedImports().length === 0 && !declaration.getDefaultImport()
    if (isEmpty && !declaration.getNamespaceImport() && declaration.getImportClause() !== undefined)
      declaration.remove()
  }
}

function addImport(
  file: SourceFile,
  before: ImportDeclaration,
  { module, name, alias, isTypeOnly }: Import,
): void {
  const known = file
    .getImportDeclarations()
    .find(
      (declaration) => declaration.getModuleSpecifierValue() === module && !declaration.getNamespaceImport(),
    )
  if (known?.getNamedImports().some((specifier) => specifier.getName() === name)) return
  if (known) {
    known.addNamedImport({
      name,
      isTypeOnly: isTypeOnly && !known.isTypeOnly(),
      ...(alias !== undefined && { alias }),
    })
    // A declaration of types has no values: its names become types one by one.
    if (known.isTypeOnly() && !isTypeOnly) {
      known.setIsTypeOnly(false)
      for (const specifier of known.getNamedImports()) specifier.setIsTypeOnly(specifier.getName() !== name)
    }
    return
  }
  // As the import is written that it replaces.
  const end = before.getText().endsWith(';') ? ';' : ''
  const quote = before.getModuleSpecifier().getQuoteKind()
  const names = alias === undefined ? name : `${name} as ${alias}`
  const text = `import ${isTypeOnly ? 'type ' : ''}{ ${names} } from ${quote}${module}${quote}${end}`
  file.insertStatements(before.getChildIndex(), text)
}
