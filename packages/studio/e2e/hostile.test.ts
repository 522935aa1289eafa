import { Agent, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { newPage, useBrowser } from '../../../scripts/e2e/browser.ts'
import { openStudio } from './scene.ts'

useBrowser()

/** Each would have an effect if a page did not treat it as text. */
const HOSTILE = [
  '<script>window.pwned = 1</script>',
  '<img src=x onerror="window.pwned = 1">',
  '<svg/onload=window.pwned=1>',
  '"><iframe srcdoc="<script>parent.pwned=1</script>"></iframe>',
  "'-window.pwned-'",
  '</script><script>window.pwned = 1</script>',
  '</title><base href="https://example.com/"><meta http-equiv="refresh" content="0;url=https://example.com/">',
  '</style><style>* { background: url(https://example.com/leak) }</style>',
  'javascript:window.pwned=1',
  '[a](javascript:window.pwned=1) ![b](https://example.com/leak.png)',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template injection
  '{{constructor.constructor("window.pwned=1")()}} ${window.pwned=1}',
  '<!--[if true]><script>window.pwned=1</script><![endif]-->',
  '\u202Etxt.exe\u2066 \u0000\u0007\u001B[31m \uD800 \uFFFE',
  'data: x\n\nevent: end\ndata: {}\n\n',
  '__proto__',
  '%2e%2e%2f#token=stolen&view=given',
  `a${'\u0300'.repeat(2_000)}`,
]

const EVERYTHING = HOSTILE.join('\n')

test('renders hostile strings as text in every field and view', async () => {
  const agent = new Agent({
    name: HOSTILE[0] ?? '',
    instructions: EVERYTHING,
    model: new ScriptedModel(
      ({ prompt }) =>
        prompt.at(-1)?.role === 'tool' ? EVERYTHING : [EVERYTHING, toolCall('echo', { text: EVERYTHING })],
      { modelId: HOSTILE[1] ?? '' },
    ),
    tools: {
      echo: tool({ inputSchema: z.object({ text: z.string() }), execute: ({ text }) => ({ [text]: text }) }),
    },
    processors: [
      {
        id: HOSTILE[3] ?? '',
        processInput: ({ messages }) => messages,
        processOutputStep: ({ text, abort }) =>
          text.length > 0 && !prompted.has(text) && prompted.add(text)
            ? abort(EVERYTHING, { retry: true })
            : undefined,
      },
    ],
  })
  const prompted = new Set<string>()
  const { page, open, trace } = await openStudio({ studio: { agents: { [HOSTILE[2] ?? '']: agent } } })
  const requests = watchRequests(page)
  const { runId } = await agent.generate(EVERYTHING, {
    threadId: HOSTILE[4] ?? '',
    resourceId: HOSTILE[5] ?? '',
  })
  await trace.flush()

  await open('/')
  await page.locator('tbody').getByRole('link').first().waitFor()
  await expectInert(page)
  await open(`/?search=${encodeURIComponent(HOSTILE[1] ?? '')}&agent=${encodeURIComponent(HOSTILE[0] ?? '')}`)
  await page.getByLabel('Search in questions').waitFor()
  await expectInert(page)
  for (const view of ['pipeline', 'reader', 'chunks', 'given']) {
    await open(`/runs/${runId}?view=${view}`)
    await page.getByText('window.pwned').first().waitFor()
    await expectInert(page)
  }
  await open(`/runs/${runId}`)
  for (const gate of await page
    .getByRole('region', { name: 'Step 1' })
    .getByRole('listitem')
    .getByRole('button')
    .all()) {
    await gate.click()
    await page.getByRole('complementary', { name: 'Selected' }).getByRole('heading').first().waitFor()
  }
  await expectInert(page)
  await open(`/compare/${runId}/${runId}`)
  await page.getByRole('heading', { name: 'Answers' }).waitFor()
  await expectInert(page)
  await open('/chat')
  await page.getByLabel('Your message').fill(EVERYTHING)
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Open the run' }).waitFor()
  await expectInert(page)
  await open('/bench')
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill(EVERYTHING)
  await page.getByRole('region', { name: 'Code' }).waitFor()
  await expectInert(page)

  await open(`/runs/${runId}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Export as HTML' }).click(),
  ])
  const elsewhere = await newPage({ offline: true })
  const path = `${await file.path()}.html`
  await file.saveAs(path)
  const outside = watchRequests(elsewhere)
  await elsewhere.goto(`file://${path}`)
  await elsewhere.getByText('window.pwned').first().waitFor()
  await expectInert(elsewhere)
  expect(outside.filter((address) => !address.startsWith('file:'))).toEqual([])

  const { origin } = new URL(page.url())
  expect(
    requests.filter((address) => !address.startsWith(`${origin}/`) && !address.startsWith('blob:')),
  ).toEqual([])
})

function watchRequests(page: Page): string[] {
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  return requests
}

/** No script ran, and no element was created. */
async function expectInert(page: Page): Promise<void> {
  const found = await page.evaluate(() => ({
    pwned: 'pwned' in window,
    polluted: Object.keys(Object.prototype).length,
    elements: [
      ...document.querySelectorAll(
        'iframe, img, base, object, embed, script:not([src]), meta[http-equiv=refresh]',
      ),
    ].map(({ outerHTML }) => outerHTML),
    handlers: [...document.querySelectorAll('[onerror], [onload], a[href^="javascript:" i]')].length,
  }))
  expect(found).toEqual({ pwned: false, polluted: 0, elements: [], handlers: 0 })
}
