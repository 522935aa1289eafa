import { test } from 'vitest'
import { openStudio } from '../../packages/studio/e2e/scene.ts'
import { EMAIL } from '../../packages/studio/e2e/support-model.ts'
import { useBrowser } from '../e2e/browser.ts'
import { savePage } from './save-picture.ts'

useBrowser()

test.each(['light', 'dark'] as const)('the page of a run, %s', async (colorScheme) => {
  const { page, ask, open } = await openStudio({ colorScheme, viewport: { width: 1280, height: 800 } })
  const run = await ask(`I am ${EMAIL}. Where is my order?`)
  await open(`/runs/${run}`)
  await page.getByRole('region', { name: 'Step 2' }).waitFor()
  await page
    .getByRole('button', { name: /^pii-detector/ })
    .first()
    .click()
  await page.getByRole('complementary', { name: 'Selected' }).getByText('[EMAIL]').first().waitFor()
  await savePage(page, `studio-${colorScheme}`)
})
