import "@fontsource-variable/instrument-sans/wght.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { chosen } from "./data/theme.svelte";
import { followLinks } from "./router.svelte";
import "./styles/tokens.css";
import "./styles/base.css";

chosen.show();
followLinks();
const target = document.getElementById("app");
if (target) mount(App, { target });
