import {
  MillraceError,
  type OptionNames,
  type ProcessInputArgs,
  type ProcessInputMessages,
  type Processor,
  type RequestContext,
  requireOptions,
} from '@millrace/core'
import { ContextMessages } from '../content/context-messages.ts'
import {
  ADDED_OPTIONS,
  type ContextOptions,
  type ContextSettings,
  contextSettings,
} from '../content/context-options.ts'
import { taggedText } from '../content/tagged-text.ts'

type MaybeText = string | undefined | Promise<string | undefined>

/** A section of the system prompt. Its text is written by the application. */
export interface InstructionSection {
  /** The name of the section, used as its tag in the prompt. Letters, digits and hyphens. */
  readonly name: string
  /** If it is empty or `undefined`, the section is left out. */
  readonly text: string | ((requestContext: RequestContext) => MaybeText)
  /** Where the text comes from, such as `policies/tone.md, version 3`. It is an attribute of the tag. */
  readonly source?: string
}

export interface CoreInstructionsOptions extends Omit<ContextOptions, 'onRefused'> {
  /**
   * The sections, in order: `name` (letters, digits, hyphens), `text` (a text, or a function of the request
   * context), and `source`, which says where the text comes from.
   */
  readonly sections: readonly InstructionSection[]
  /** A function of the request context that returns what the agent remembers. */
  readonly memory?: (requestContext: RequestContext) => MaybeText
}

const CORE_INSTRUCTIONS_OPTIONS: OptionNames<CoreInstructionsOptions> = {
  ...ADDED_OPTIONS,
  sections: 'required',
  memory: 'optional',
}

/**
 * Builds the system prompt from named sections, after the agent's instructions. Each section is enclosed in
 * tags with its name and source.
 */
export class CoreInstructions implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #settings: ContextSettings
  readonly #sections: readonly InstructionSection[]
  readonly #memory: CoreInstructionsOptions['memory']

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: CoreInstructionsOptions) {
    const options = requireOptions('CoreInstructions', given, CORE_INSTRUCTIONS_OPTIONS)
    const { sections, memory, onError = 'fail' } = options
    this.#settings = contextSettings(options, 'core-instructions')
    checkSections(sections)
    this.#sections = sections
    this.#memory = memory
    this.id = this.#settings.id
    this.onError = onError
  }

  async processInput(args: ProcessInputArgs): Promise<ProcessInputMessages | undefined> {
    const { requestContext, systemMessages } = args
    const memory = await this.#memory?.(requestContext)
    if (memory) {
      const context = new ContextMessages(this.#settings, args)
      await context.add({ source: 'memory', tag: 'memory', text: memory })
      await context.finish()
    }
    const written: string[] = []
    for (const section of this.#sections) {
      const { name, source, text } = section
      const content = typeof text === 'function' ? await text(requestContext) : text
      if (content) written.push(taggedText({ tag: name, attributes: { source }, text: content }))
    }
    if (written.length === 0) return undefined
    return { systemMessages: [...systemMessages, { role: 'system', content: written.join('\n\n') }] }
  }
}

function checkSections(sections: unknown): void {
  if (!Array.isArray(sections)) {
    throw new MillraceError('CONFIG_INVALID', 'sections is not a list. Use a list of { name, text }.')
  }
  const names = new Set<string>()
  for (const { name, text } of sections as InstructionSection[]) {
    if (typeof name !== 'string' || !/^[a-z][a-z0-9-]*$/i.test(name)) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `A section has the name '${String(name)}'. Use letters, digits and hyphens, and begin with a letter.`,
      )
    }
    if (names.has(name)) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `Two sections have the name '${name}'. Use a different name for each.`,
      )
    }
    if (typeof text !== 'string' && typeof text !== 'function') {
      throw new MillraceError(
        'CONFIG_INVALID',
        `The section '${name}' has no text. Use a text, or a function that returns one.`,
      )
    }
    names.add(name)
  }
}
