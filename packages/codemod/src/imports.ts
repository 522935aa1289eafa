import { type ImportDeclaration, type SourceFile, SyntaxKind } from 'ts-morph'

export interface Export {
  readonly module: string
  readonly name: string
  /** Whether it is a type, also if it was imported as a value. */
  readonly isType?: boolean
}

interface Import extends Export {
  readonly alias: string | undefined
  readonly isTypeOnly: boolean
}

/** Whether the file imports from a package, including its subpaths. */
export function importsFrom(file: SourceFile, scope: string): boolean {
  return file
    .getImportDeclarations()
    .some((declaration) => declaration.getModuleSpecifierValue().startsWith(scope))
}

/**
 * Replaces named imports, and renames their uses in the file. Imports with an alias (`as`) keep it. A
 * declaration without remaining names is removed.
 *
 * @param find Returns the replacement of an import, or nothing to keep it
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
        // Renames every use in this file. This needs no types, so no other package has to be installed.
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
    // An `import type` declaration cannot import values, so its names become single type imports.
    if (known.isTypeOnly() && !isTypeOnly) {
      known.setIsTypeOnly(false)
      for (const specifier of known.getNamedImports()) specifier.setIsTypeOnly(specifier.getName() !== name)
    }
    return
  }
  // Uses the quotes and semicolons of the import that it replaces.
  const end = before.getText().endsWith(';') ? ';' : ''
  const quote = before.getModuleSpecifier().getQuoteKind()
  const names = alias === undefined ? name : `${name} as ${alias}`
  const text = `import ${isTypeOnly ? 'type ' : ''}{ ${names} } from ${quote}${module}${quote}${end}`
  file.insertStatements(before.getChildIndex(), text)
}
