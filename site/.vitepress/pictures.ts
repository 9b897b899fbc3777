// Pictures of the pages, drawn as SVG while the site is built: the page loads no program for them.
import { renderMermaidSVG } from 'beautiful-mermaid';

interface Token {
  readonly info: string;
  readonly content: string;
}

type Fence = (tokens: Token[], index: number, ...rest: never[]) => string;

/** The colors of the page, in light and in dark. */
const colors = { bg: 'var(--vp-c-bg)', fg: 'var(--vp-c-text-1)', muted: 'var(--vp-c-text-2)', transparent: true };
const asWideAsThePage = '.picture svg { max-width: 100%; height: auto; }';

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Draws fences of Mermaid. Other fences stay as they are. Throws for a diagram that cannot be drawn. */
export function withPictures(md: { readonly renderer: { readonly rules: { fence?: Fence | undefined } } }): void {
  const { rules } = md.renderer;
  const fence = rules.fence as Fence;
  rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index] as Token;
    if (info.trim() !== 'mermaid') return fence(tokens, index, ...rest);
    // Its first rule loads a font from another host. A template of Vue drops styles, so the SVG is a value.
    const svg = renderMermaidSVG(content, colors).replace(/@import url\('[^']*'\);/, asWideAsThePage);
    return `<div class="picture" v-html="${escaped(JSON.stringify(svg))}"></div>`;
  };
}
