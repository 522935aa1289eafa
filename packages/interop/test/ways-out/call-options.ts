import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider'

const own = { acme: { note: 'a' } }
/** Options that providers send on. */
const signed = {
  openai: { itemId: 'rs_1', reasoningEncryptedContent: 'abc' },
  anthropic: { signature: 'def' },
  google: { thoughtSignature: 'dGhvdWdodA==' },
}

const schema: LanguageModelV4FunctionTool['inputSchema'] = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $comment: 'Kept short',
  title: 'Order',
  description: 'An order',
  type: 'object',
  properties: {
    size: {
      type: 'string',
      description: 'How large',
      enum: ['small', 'large'],
      default: 'small',
      examples: ['large'],
    },
    kind: { const: 'express' },
    code: { type: 'string', pattern: '^[a-z]+$', format: 'regex' },
    nested: {
      type: 'array',
      items: { anyOf: [{ type: 'object', properties: { deep: { type: 'string', title: 'Deep' } } }] },
    },
    other: { $ref: '#/$defs/other' },
    options: { type: 'object', default: { colour: 'red' }, additionalProperties: { type: 'string' } },
  },
  required: ['size'],
  $defs: { other: { type: 'string', description: 'Another' } },
} as never

const outputs: LanguageModelV4ToolResultOutput[] = [
  { type: 'text', value: 'found', providerOptions: own },
  { type: 'json', value: { answer: { a: 'found' } }, providerOptions: own },
  { type: 'error-text', value: 'not found', providerOptions: own },
  { type: 'error-json', value: { error: 'gone' }, providerOptions: own },
  { type: 'execution-denied', reason: 'Not today', providerOptions: own },
  {
    type: 'content',
    value: [
      { type: 'text', text: 'seen', providerOptions: own },
      {
        type: 'file',
        mediaType: 'image/png',
        filename: 'a.png',
        data: { type: 'url', url: new URL('https://cdn.example.com/a.png') },
        providerOptions: own,
      },
      {
        type: 'file',
        mediaType: 'application/pdf',
        data: { type: 'reference', reference: { openai: 'file-1' } },
      },
      { type: 'custom', providerOptions: own },
    ],
  },
]

const hello: LanguageModelV4Message = {
  role: 'user',
  content: [{ type: 'text', text: 'Hello', providerOptions: own }],
  providerOptions: own,
}

const call = {
  type: 'tool-call' as const,
  toolCallId: 'call_1',
  toolName: 'order',
  input: { size: 'small', more: { deep: 'x' } },
  providerOptions: signed,
}

const called = outputs.map((output): LanguageModelV4Message[] => [
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'I look.', providerOptions: signed },
      { type: 'text', text: 'One moment.', providerOptions: own },
      call,
    ],
    providerOptions: own,
  },
  {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'call_1', toolName: 'order', output, providerOptions: own }],
    providerOptions: own,
  },
])

const files: LanguageModelV4FilePart[] = [
  {
    type: 'file',
    mediaType: 'image/png',
    filename: 'b.png',
    data: { type: 'url', url: new URL('https://cdn.example.com/b.png') },
    providerOptions: own,
  },
  {
    type: 'file',
    mediaType: 'application/pdf',
    filename: 'c.pdf',
    data: { type: 'url', url: new URL('https://cdn.example.com/c.pdf') },
    providerOptions: { anthropic: { title: 'A title', context: 'A context' } },
  },
  {
    type: 'file',
    mediaType: 'application/pdf',
    filename: 'd.pdf',
    data: { type: 'reference', reference: { openai: 'file-2', anthropic: 'file_3', google: 'files/4' } },
  },
  { type: 'file', mediaType: 'text/plain', filename: 'e.txt', data: { type: 'text', text: 'A note' } },
]

const ownTools: LanguageModelV4Message = {
  role: 'assistant',
  content: [
    { ...call, toolCallId: 'own', toolName: 'search', providerExecuted: true },
    {
      type: 'tool-result',
      toolCallId: 'own',
      toolName: 'search',
      output: { type: 'json', value: { hit: 'y' } },
      providerOptions: own,
    },
    { type: 'text', text: 'Done.' },
  ],
}

/** What the prompt has beside a greeting. */
const prompts: LanguageModelV4Prompt[] = [
  [{ role: 'system', content: 'Be brief.', providerOptions: own }, hello],
  [
    hello,
    { role: 'assistant', content: [{ type: 'text', text: 'Yes?' }] },
    { role: 'system', content: 'Be kind.' },
    hello,
  ],
  ...called.map((messages): LanguageModelV4Prompt => [hello, ...messages]),
  // As history.
  ...called.slice(4).map((messages): LanguageModelV4Prompt => [hello, ...messages, hello]),
  [hello, ownTools, hello],
  [
    hello,
    { role: 'assistant', content: [{ type: 'custom', kind: 'openai.compaction', providerOptions: own }] },
    hello,
  ],
  ...files.map(
    (file): LanguageModelV4Prompt => [{ role: 'user', content: [{ type: 'text', text: 'This?' }, file] }],
  ),
  ...files.map((file): LanguageModelV4Prompt => [{ role: 'user', content: [file] }, hello]),
]

const order: LanguageModelV4FunctionTool = {
  type: 'function',
  name: 'order',
  description: 'Orders something',
  inputSchema: schema,
  inputExamples: [{ input: { size: 'small' } }],
  providerOptions: own,
}

/** Requests that have, all together, everything that a call of the AI SDK may have. */
export const requests: LanguageModelV4CallOptions[] = [
  ...prompts.map((prompt) => ({ prompt })),
  { prompt: [hello], responseFormat: { type: 'json', name: 'order', description: 'The order', schema } },
  { prompt: [hello], tools: [order], toolChoice: { type: 'tool', toolName: 'order' } },
  {
    prompt: [hello],
    tools: [
      {
        type: 'provider',
        id: 'openai.web_search',
        name: 'search',
        args: {
          userLocation: { type: 'approximate', city: 'Bonn' },
          filters: { allowedDomains: ['a.example'] },
        },
      },
    ],
  },
  { prompt: [hello], stopSequences: ['END'], headers: { 'x-tenant': 'acme' } },
  {
    prompt: [hello],
    providerOptions: {
      openai: { user: 'u-1', instructions: 'Be exact.', metadata: { topic: 'orders' } },
      anthropic: { metadata: { userId: 'u-1' } },
      google: { labels: { team: 'orders' } },
    },
    ...{ ownSetting: { text: 'own' } },
  },
]
