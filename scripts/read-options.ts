// Reads the options of a type with their doc comments: of interfaces, what they extend, and types made of them.
import { type Comment, parseSync, type TSSignature, type TSType } from 'oxc-parser'

export interface Option {
  readonly name: string
  /** The default from the doc comment, `required` or `none`. */
  readonly default: string
  readonly description: string
}

/** Returns the options of a referenced type; none if another page has them. */
export type Resolve = (name: string) => readonly Option[]

/**
 * The options of a type: its own, then those of types it extends.
 *
 * @throws Error if the type does not exist, or one of its own options has no doc comment
 */
export function readOptions(source: string, type: string, resolve: Resolve): Option[] {
  const { program, comments } = parseSync('source.ts', source)
  const declaration = program.body
    .map((node) => (node.type === 'ExportNamedDeclaration' ? node.declaration : node))
    .find(
      (node) =>
        (node?.type === 'TSInterfaceDeclaration' || node?.type === 'TSTypeAliasDeclaration') &&
        node.id.name === type,
    )
  const reader = new OptionReader({ source, type, comments }, resolve)
  if (declaration?.type === 'TSTypeAliasDeclaration') return reader.ofType(declaration.typeAnnotation)
  if (declaration?.type !== 'TSInterfaceDeclaration') throw new Error(`There is no type ${type}.`)
  const inherited = declaration.extends.map(({ expression, typeArguments }) =>
    expression.type === 'Identifier' ? reader.ofNamed(expression.name, typeArguments?.params ?? []) : [],
  )
  return merged([reader.ofMembers(declaration.body.body), ...inherited])
}

class OptionReader {
  readonly #declared: { source: string; type: string; comments: readonly Comment[] }
  readonly #resolve: Resolve

  constructor(declared: { source: string; type: string; comments: readonly Comment[] }, resolve: Resolve) {
    this.#declared = declared
    this.#resolve = resolve
  }

  ofType(node: TSType): Option[] {
    switch (node.type) {
      case 'TSTypeLiteral':
        return this.ofMembers(node.members)
      case 'TSParenthesizedType':
        return this.ofType(node.typeAnnotation)
      case 'TSIntersectionType':
        return merged(node.types.map((type) => this.ofType(type)))
      case 'TSUnionType':
        return alternatives(node.types.map((type) => this.ofType(type)))
      case 'TSTypeReference':
        if (node.typeName.type === 'Identifier') {
          return this.ofNamed(node.typeName.name, node.typeArguments?.params ?? [])
        }
    }
    throw new Error(`${this.#declared.type} contains a type that is not supported in a table of options.`)
  }

  ofNamed(name: string, [given, keys]: readonly TSType[]): Option[] {
    if ((name !== 'Omit' && name !== 'Pick') || !given || !keys) return [...this.#resolve(name)]
    const chosen = literals(keys)
    return this.ofType(given).filter((option) => chosen.includes(option.name) === (name === 'Pick'))
  }

  ofMembers(members: readonly TSSignature[]): Option[] {
    const { source, type, comments } = this.#declared
    return members.flatMap((member): Option[] => {
      if (member.type !== 'TSPropertySignature' && member.type !== 'TSMethodSignature') return []
      const name =
        member.key.type === 'Identifier' ? member.key.name : source.slice(member.key.start, member.key.end)
      // There may be a comment for the linter in between.
      const comment = comments.findLast(
        ({ value, end }) =>
          value.startsWith('*') &&
          end <= member.start &&
          /^(?:\s|\/\/.*)*$/.test(source.slice(end, member.start)),
      )
      const text = textOf(comment?.value)
      const [sentence = '', value = 'none'] = /\s*Default: (.+?)\.(?=\s|$)/.exec(text) ?? []
      const description = text.replace(sentence, '').trim()
      if (description === '') {
        throw new Error(`${type}.${name} has no doc comment. Say what it does: its page shows the comment.`)
      }
      return [
        { name, default: member.optional ? escaped(value) : 'required', description: escaped(description) },
      ]
    })
  }
}

/** Merges options by name; the first one wins. */
function merged(lists: readonly (readonly Option[])[]): Option[] {
  const options = new Map<string, Option>()
  for (const option of lists.flat()) if (!options.has(option.name)) options.set(option.name, option)
  return [...options.values()]
}

/** The options of a union: an option that only some members require is required unless the others are given. */
function alternatives(lists: readonly (readonly Option[])[]): Option[] {
  const required = lists.map((list) => list.filter((option) => option.default === 'required'))
  const marked = lists.map((list) =>
    list.map((option) => {
      const others = required.filter((names) => !names.some(({ name }) => name === option.name)).flat()
      if (option.default !== 'required' || others.length === 0) return option
      return { ...option, default: `required, or ${others.map(({ name }) => `\`${name}\``).join(', ')}` }
    }),
  )
  return merged(marked)
}

function literals(node: TSType): string[] {
  if (node.type === 'TSUnionType') return node.types.flatMap(literals)
  return node.type === 'TSLiteralType' && node.literal.type === 'Literal' ? [String(node.literal.value)] : []
}

/** Escapes text for a table cell. */
function escaped(text: string): string {
  return text.replaceAll('|', '\\|')
}

/** A doc comment in one line, without its tags. */
function textOf(comment = ''): string {
  if (!comment.startsWith('*')) return ''
  const text = comment
    .slice(1)
    .replace(/^\s*\*/gm, '')
    .replace(/^\s*@[\s\S]*/m, '')
  return text
    .replace(/\s+/g, ' ')
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .trim()
}
