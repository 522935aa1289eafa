import {
  MillraceError,
  type OptionNames,
  type ProcessInputArgs,
  type ProcessInputMessages,
  type ProcessInputStepArgs,
  type ProcessInputStepResult,
  type Processor,
  type RequestContext,
  requireCount,
  requireOptions,
  type SystemMessage,
  type ToolSet,
  tool,
} from '@millrace/core'
import { ContextMessages } from '../content/context-messages.ts'
import {
  CONTEXT_OPTIONS,
  type ContextOptions,
  type ContextSettings,
  contextSettings,
} from '../content/context-options.ts'
import { tokensOf } from '../content/fit-text.ts'
import { visibleName } from '../content/visible-name.ts'
import { linesFrom } from './lines-from.ts'
import { SKILL_FILE } from './skill-file.ts'
import { SkillFolder, type Unusable } from './skill-folder.ts'
import { type SkillRequest, skillRequest } from './skill-request.ts'

export interface SkillsOptions extends ContextOptions {
  /** The folder with one subfolder per skill. Nothing outside it is read. */
  readonly root: string
  /** The names of the skills that a request may use, or a function `(name, requestContext)`. Default: all. */
  readonly allow?: readonly string[] | ((name: string, requestContext: RequestContext) => boolean)
  /** The maximum number of listed skills. Default: 100. */
  readonly maxSkills?: number
  /**
   * The maximum number of tokens that one call of the tool returns; the model continues with `fromLine`.
   * `maxTokens` limits the list. Default: 8,000.
   */
  readonly maxFileTokens?: number
  /** The maximum number of bytes to read of a file. Default: 100,000. */
  readonly maxFileBytes?: number
  /** The name of the tool. Default: `'read_skill'`. */
  readonly toolName?: string
}

const SKILLS_OPTIONS: OptionNames<SkillsOptions> = {
  ...CONTEXT_OPTIONS,
  root: 'required',
  allow: 'optional',
  maxSkills: 'optional',
  maxFileTokens: 'optional',
  maxFileBytes: 'optional',
  toolName: 'optional',
}

/**
 * Lists skills for the model: folders with a `SKILL.md`, whose front matter has a name and a description. The
 * list is a user message with the origin `context`. The model reads the text of a skill, and other files of
 * its folder, through a tool.
 *
 * Pass `skills.tools` to the agent: a run can then be suspended while a skill is read.
 *
 * @example
 * const skills = new Skills({ root: 'skills' })
 * const agent = new Agent({ model, tools: { ...tools, ...skills.tools }, processors: [skills] })
 */
export class Skills implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  /** The tool that reads skills. */
  readonly tools: ToolSet
  readonly #settings: ContextSettings
  readonly #folder: SkillFolder
  readonly #isAllowed: (name: string, requestContext: RequestContext) => boolean
  readonly #maxSkills: number
  readonly #maxFileTokens: number
  readonly #toolName: string

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: SkillsOptions) {
    const options = requireOptions('Skills', given, SKILLS_OPTIONS)
    const { root, allow, maxSkills = 100, maxFileTokens = 8_000, maxFileBytes, onError = 'fail' } = options
    const { toolName = 'read_skill' } = options
    this.#settings = contextSettings(options, 'skills')
    this.#folder = new SkillFolder({ root, maxFileBytes })
    this.#isAllowed = allowed(allow)
    this.#maxSkills = requireCount('maxSkills', maxSkills, 1)
    this.#maxFileTokens = requireCount('maxFileTokens', maxFileTokens, 1)
    this.#toolName = toolName
    this.id = this.#settings.id
    this.onError = onError
    this.tools = {
      [toolName]: tool({
        description: `Reads a skill by its name: its ${SKILL_FILE}, or, with a path, another file of its folder.`,
        inputSchema: skillRequest,
        execute: (request, { requestContext }) => this.#read(request, requestContext),
      }),
    }
  }

  async processInput(args: ProcessInputArgs): Promise<ProcessInputMessages | undefined> {
    const { requestContext, abortSignal, systemMessages } = args
    const context = new ContextMessages(this.#settings, args)
    const { skills, unusable, hasMore } = await this.#folder.list({
      isAllowed: (name) => this.#isAllowed(name, requestContext),
      maxSkills: this.#maxSkills,
      abortSignal,
    })
    for (const { path, sentence, reason } of unusable) context.refuse(path, sentence, reason)
    if (hasMore) context.note(`More skills were left out: the limit is ${this.#maxSkills}.`)
    if (skills.length > 0) {
      await context.add({
        source: 'list',
        tag: 'skills',
        text: skills.map(({ name, description }) => `- ${name}: ${description}`).join('\n'),
        cutNote: (lines) => `Only the first ${lines} of ${skills.length} skills are shown.`,
      })
    }
    await context.finish()
    return skills.length === 0 ? undefined : { systemMessages: [...systemMessages, this.#instruction()] }
  }

  processInputStep({ tools, activeTools }: ProcessInputStepArgs): ProcessInputStepResult | undefined {
    if (Object.hasOwn(tools, this.#toolName)) return undefined
    return {
      tools: { ...this.tools, ...tools },
      ...(activeTools && { activeTools: [...activeTools, this.#toolName] }),
    }
  }

  #instruction(): SystemMessage {
    const content = `Skills are instructions for certain kinds of tasks, listed between <skills> tags with what each is for. Before such a task, read its skill with ${this.#toolName}, and follow it as far as it serves what the user asks for.`
    return { role: 'system', content }
  }

  /** An error becomes the tool result for the model. */
  async #read(
    { name, path = SKILL_FILE, fromLine = 1 }: SkillRequest,
    requestContext: RequestContext,
  ): Promise<string> {
    const { id, countTokens, onContext } = this.#settings
    // A skill that is not allowed gets the same answer as one that does not exist.
    const isAllowed = this.#isAllowed(name, requestContext)
    const found = await this.#folder.read(isAllowed ? name : '', path)
    if ('sentence' in found) throw this.#refusal(name, found)
    const { text, file } = found
    const lines = await linesFrom(text, { fromLine, maxTokens: this.#maxFileTokens, countTokens })
    if (lines === undefined) {
      const sentence = `It has no line ${fromLine}.`
      throw this.#refusal(name, { path: `${name}/${path}`, sentence, reason: 'no-lines' })
    }
    const notes = [...lines.notes]
    if (!file.isWhole) notes.push(`Only the first part of the file was read; it has ${file.size} bytes.`)
    const others = path === SKILL_FILE && fromLine === 1 ? await this.#folder.otherFiles(name) : []
    if (others.length > 0) notes.push(`Other files of this skill: ${others.join(', ')}`)
    onContext?.({
      processorId: id,
      source: visibleName(`${name}/${path}`),
      status: lines.notes.length > 0 || !file.isWhole ? 'cut' : 'added',
      tokens: await tokensOf(lines.text, countTokens),
    })
    return [lines.text, ...notes.map((note) => `[${note}]`)].join('\n')
  }

  #refusal(name: string, { path, sentence, reason }: Unusable): Error {
    const source = visibleName(path === '' ? name : path)
    this.#settings.onContext?.({ processorId: this.id, source, status: 'refused', reason })
    return new Error(`${source}: ${sentence}`)
  }
}

function allowed(allow: SkillsOptions['allow']): (name: string, requestContext: RequestContext) => boolean {
  if (allow === undefined) return () => true
  if (typeof allow === 'function') return allow
  if (Array.isArray(allow) && allow.every((name) => typeof name === 'string')) {
    const names = new Set<string>(allow)
    return (name) => names.has(name)
  }
  throw new MillraceError(
    'CONFIG_INVALID',
    `allow is '${String(allow)}'. Use a list of names of skills, or a function.`,
  )
}
